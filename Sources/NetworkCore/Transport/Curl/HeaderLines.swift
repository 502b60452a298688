internal import CCurl
internal import Foundation

/// A header list in libcurl's form, laid out in memory that is given: nodes, text and a body one after the other.
///
/// It counts what it would need and writes only what fits; where `size` is more than there was, the caller
/// starts again with more memory. One block instead of two allocations a field, which `curl_slist_append` makes.
struct HeaderLines {
  private let arena: UnsafeMutableRawBufferPointer
  private var last: UnsafeMutablePointer<ccurl_slist>?
  /// The first node; `nil` for an empty list.
  private(set) var first: UnsafeMutablePointer<ccurl_slist>?
  /// The body, where one was appended.
  private(set) var body: UnsafeMutableRawPointer?
  /// The bytes needed so far.
  private(set) var size = 0

  init(arena: UnsafeMutableRawBufferPointer) {
    self.arena = arena
  }

  /// Appends a line made of `name`, `separator` and `value`.
  mutating func append(_ name: String, _ separator: StaticString, _ value: Substring) {
    let alignment = MemoryLayout<ccurl_slist>.alignment
    let node = (size + alignment - 1) / alignment * alignment
    let text = node + MemoryLayout<ccurl_slist>.size
    let nameCount = name.utf8.count
    let valueCount = value.utf8.count
    size = text + nameCount + separator.utf8CodeUnitCount + valueCount + 1
    guard size <= arena.count, let base = arena.baseAddress else { return }
    var end = text
    copy(name.utf8, nameCount, to: &end)
    separator.withUTF8Buffer { copy($0, $0.count, to: &end) }
    copy(value.utf8, valueCount, to: &end)
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

  /// Lets a list that outlives the transfer follow.
  private mutating func end(with list: CurlList) {
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

extension HeaderLines {
  /// Appends the fields of a request in libcurl's syntax, and a body to be sent with the head.
  ///
  /// The syntax: `name: value`, `name;` for an empty value, `name:` for a field of libcurl's own that is not to
  /// be sent.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - hasBody: whether it has content.
  ///   - inlinedBody: the content, where it is sent with the head.
  ///   - leavesCookies: whether libcurl has been given the request's own cookies.
  ///   - standard: the fields of requests that do not have them.
  mutating func append(
    _ request: TransportRequest, hasBody: Bool, _ inlinedBody: Data?, leavesCookies: Bool,
    or standard: StandardFields
  ) {
    var namesEncodings = false
    var namesType = false
    var namesExpect = false
    var namesAgent = false
    for field in request.headers {
      // libcurl writes it from the body's size, with which it was found to agree.
      if field.isNamed("content-length") { continue }
      if leavesCookies, field.isNamed("cookie") { continue }
      if field.isNamed("content-type") { namesType = true }
      if field.isNamed("expect") { namesExpect = true }
      if field.isNamed("accept-encoding") { namesEncodings = true }
      if field.isNamed("user-agent") { namesAgent = true }
      let value = field.value.trimmed
      append(field.name, value.isEmpty ? ";" : ": ", value)
    }
    if hasBody {
      // libcurl would call every body a form,
      if !namesType { append("Content-Type", ":", "") }
      // and wait up to a second for leave to send one over 1 MiB.
      if !namesExpect { append("Expect", ":", "") }
      if let inlinedBody { append(body: inlinedBody) }
    }
    if let others = standard.list(besideUserAgent: namesAgent, besideEncodings: namesEncodings) {
      end(with: others)
    }
  }
}

extension StringProtocol where SubSequence == Substring {
  /// Without the blanks around a field value, which are not part of it (RFC 9110, section 5.5).
  package var trimmed: Substring {
    let blank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let bytes = self[...].utf8.drop(while: blank)
    guard let end = bytes.lastIndex(where: { !blank($0) }) else { return "" }
    return Substring(bytes[...end])
  }
}
