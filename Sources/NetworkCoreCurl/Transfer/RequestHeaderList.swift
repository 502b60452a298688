internal import CNetworkCoreCurl
internal import Foundation

/// A header list in libcurl's form, written to the caller's memory: nodes, text and a body, one after the
/// other.
///
/// It counts the bytes that it needs and writes only those that fit. If `size` exceeds the available memory,
/// the caller starts again with more. One block replaces the two allocations per field that
/// `curl_slist_append` makes.
struct RequestHeaderList {
  private let arena: UnsafeMutableRawBufferPointer
  private var last: UnsafeMutablePointer<ccurl_slist>?
  /// The first node; `nil` for an empty list.
  private(set) var first: UnsafeMutablePointer<ccurl_slist>?
  /// The body, if one was appended.
  private(set) var body: UnsafeMutableRawPointer?
  /// The bytes needed so far.
  private(set) var size = 0

  init(arena: UnsafeMutableRawBufferPointer) {
    self.arena = arena
  }

  /// Appends a line made of `name`, `separator` and `value`.
  mutating func append(_ name: String, _ separator: StaticString, _ value: Substring) {
    append(name, separator, value.utf8)
  }

  /// Appends a line made of `name`, `separator` and the bytes of a value.
  private mutating func append(_ name: String, _ separator: StaticString, _ value: some Collection<UInt8>) {
    let alignment = MemoryLayout<ccurl_slist>.alignment
    let node = (size + alignment - 1) / alignment * alignment
    let text = node + MemoryLayout<ccurl_slist>.size
    let nameCount = name.utf8.count
    let valueCount = value.count
    size = text + nameCount + separator.utf8CodeUnitCount + valueCount + 1
    guard size <= arena.count, let base = arena.baseAddress else { return }
    var end = text
    copy(name.utf8, nameCount, to: &end)
    separator.withUTF8Buffer { copy($0, $0.count, to: &end) }
    copy(value, valueCount, to: &end)
    arena[end] = 0
    // In bounds and aligned by the computation above; `ccurl_slist` is trivial, and nothing else in the arena
    // overlaps the node.
    let new = (base + node).initializeMemory(
      as: ccurl_slist.self,
      to: ccurl_slist(data: (base + text).assumingMemoryBound(to: CChar.self), next: nil))
    last?.pointee.next = new
    if first == nil { first = new }
    last = new
  }

  /// Appends a list that outlives the transfer.
  private mutating func end(with list: CurlStringList) {
    if first == nil { first = list.first } else { last?.pointee.next = list.first }
  }

  /// Appends the bytes of a body.
  mutating func append(body data: Data) {
    let start = size
    size += max(data.count, 1)
    guard size <= arena.count, let base = arena.baseAddress else { return }
    data.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: arena[start..<(start + data.count)]))
    body = base + start
  }

  private func copy(_ bytes: some Collection<UInt8>, _ count: Int, to end: inout Int) {
    UnsafeMutableRawBufferPointer(rebasing: arena[end..<(end + count)]).copyBytes(from: bytes)
    end += count
  }
}

extension RequestHeaderList {
  /// Appends the fields of a request in libcurl's syntax, and a body to be sent with the head.
  ///
  /// The syntax: `name: value`, `name;` for an empty value, `name:` to suppress a field that libcurl would
  /// add.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - hasBody: whether it has content.
  ///   - inlinedBody: the content, if it is sent with the head.
  ///   - leavesCookies: whether libcurl already has the request's own cookies.
  ///   - standard: the default fields for requests that do not have them.
  mutating func append(
    _ request: TransportRequest, hasBody: Bool, _ inlinedBody: Data?, leavesCookies: Bool,
    or standard: DefaultHeaderFields?
  ) {
    var named: DefaultHeaderFields.FieldSet = []
    var namesType = false
    var namesExpect = false
    var namesRange = false
    for field in request.headers {
      // libcurl writes it from the body's length, which validation has found to match.
      if field.isNamed("content-length") { continue }
      if leavesCookies, field.isNamed("cookie") { continue }
      if field.isNamed("content-type") { namesType = true }
      if field.isNamed("expect") { namesExpect = true }
      if field.isNamed("accept-encoding") { named.insert(.encodings) }
      if field.isNamed("range") { namesRange = true }
      if field.isNamed("accept-language") { named.insert(.languages) }
      if field.isNamed("user-agent") { named.insert(.userAgent) }
      let value = field.value.trimmed
      if !request.latin1Fields.isEmpty, request.latin1Fields.contains(field.name.lowercased()),
        // Other characters have no such byte; a shortened one could be a line break.
        value.unicodeScalars.allSatisfy({ $0.value <= 0xFF })
      {
        append(field.name, ": ", value.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        continue
      }
      append(field.name, value.isEmpty ? ";" : ": ", value)
    }
    if hasBody {
      // Otherwise libcurl would label the body as a form.
      if !namesType { append("Content-Type", ":", "") }
      // Otherwise libcurl would wait up to a second for the server's 100 (Continue) before a body of more
      // than 1 MiB.
      if !namesExpect { append("Expect", ":", "") }
      // Otherwise libcurl would send the bytes of the new protocol in chunks.
      if request.upgradesConnection { append("Transfer-Encoding", ":", "") }
      if let inlinedBody { append(body: inlinedBody) }
    }
    // A part of an encoded body could not be decoded.
    if namesRange, named.insert(.encodings).inserted { append("Accept-Encoding", ": ", "identity") }
    if let others = standard?.list(excluding: named) { end(with: others) }
  }
}
