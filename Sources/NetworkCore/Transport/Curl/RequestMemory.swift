internal import CCurl
internal import Foundation

/// What libcurl points into while a transfer runs: nodes and text of a header list, and a small body; reused for one request after
/// the other.
struct RequestMemory: ~Copyable {
  /// Bodies up to this size are sent together with the head; larger ones are read piece by piece as they go.
  private static let inlineBodyLimit = 65_536

  private var bytes = UnsafeMutableRawBufferPointer.allocate(
    byteCount: 1024, alignment: MemoryLayout<ccurl_slist>.alignment)

  deinit {
    bytes.deallocate()
  }

  /// Lays out the fields of a request and a small body.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - content: its body.
  ///   - leavesCookies: whether libcurl has been given the request's own cookies.
  ///   - fields: those of requests that do not have them.
  /// - Returns: the list and the body, which stay where they are until the next request.
  mutating func lay(
    _ request: TransportRequest, _ content: TransportRequest.Body, leavesCookies: Bool,
    or fields: StandardFields
  ) -> HeaderLines {
    var inlined: Data?
    if case .data(let data) = content, data.count <= Self.inlineBodyLimit { inlined = data }
    while true {
      var lines = HeaderLines(arena: bytes)
      lines.append(
        request, hasBody: content != .none, inlined, leavesCookies: leavesCookies, or: fields)
      if lines.size <= bytes.count { return lines }
      let count = max(lines.size, 2 * bytes.count)
      bytes.deallocate()
      bytes = .allocate(byteCount: count, alignment: MemoryLayout<ccurl_slist>.alignment)
    }
  }
}
