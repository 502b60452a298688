internal import CNetworkCoreCurl
internal import Foundation

/// The memory that libcurl points to during a transfer: the nodes and text of a header list, and a small
/// body; reused for one request after the other.
struct RequestArena: ~Copyable {
  /// The largest body that is sent together with the head; larger ones are read piece by piece.
  private static let inlineBodyLimit = 65_536

  private var bytes = UnsafeMutableRawBufferPointer.allocate(
    byteCount: 1024, alignment: MemoryLayout<ccurl_slist>.alignment)

  deinit {
    bytes.deallocate()
  }

  /// Writes the fields of a request and a small body.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - content: its body.
  ///   - leavesCookies: whether libcurl already has the request's own cookies.
  ///   - fields: the default fields for requests that do not have them.
  /// - Returns: the list and the body, which are valid until the next request.
  mutating func write(
    _ request: TransportRequest, _ content: TransportRequest.Body, leavesCookies: Bool,
    or fields: DefaultHeaderFields?
  ) -> RequestHeaderList {
    var inlined: Data?
    if case .data(let data) = content, data.count <= Self.inlineBodyLimit { inlined = data }
    while true {
      var lines = RequestHeaderList(arena: bytes)
      lines.append(
        request, hasBody: content != .none, inlined, leavesCookies: leavesCookies, or: fields)
      if lines.size <= bytes.count { return lines }
      let count = max(lines.size, 2 * bytes.count)
      bytes.deallocate()
      bytes = .allocate(byteCount: count, alignment: MemoryLayout<ccurl_slist>.alignment)
    }
  }
}
