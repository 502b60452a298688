internal import CCurl

/// The local and remote address and port of a connection, which identify it among all open ones.
///
/// The local port alone does not: Linux lets connections to different destinations share one.
struct ConnectionEndpoints: Hashable {
  private let local: SIMD2<UInt64>
  private let remote: SIMD2<UInt64>
  private let ports: SIMD2<UInt16>

  /// The ends of a socket; `nil` if it is not a connected TCP socket.
  init?(socket: CInt) {
    var ends = ccurl_ends()
    guard ccurl_ends_of_socket(socket, &ends) else { return nil }
    self.init(ends)
  }

  /// The ends as libcurl reports them; `nil` for a connection without, such as a Unix domain socket.
  init?(
    local: UnsafePointer<CChar>?, port localPort: Int, remote: UnsafePointer<CChar>?, port remotePort: Int
  ) {
    var ends = ccurl_ends()
    guard ccurl_ends_of_texts(local, localPort, remote, remotePort, &ends) else { return nil }
    self.init(ends)
  }

  private init(_ ends: ccurl_ends) {
    local = [ends.local.0, ends.local.1]
    remote = [ends.remote.0, ends.remote.1]
    ports = [ends.localPort, ends.remotePort]
  }
}
