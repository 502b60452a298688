internal import CNetworkCoreCurl

/// The local and remote address and port of a connection, which identify it among all open ones.
///
/// The local port alone does not: Linux lets connections to different destinations share one.
struct ConnectionEndpoints: Hashable {
  private let local: SIMD2<UInt64>
  private let remote: SIMD2<UInt64>
  private let ports: SIMD2<UInt16>

  /// The endpoints of a socket; `nil` if it is not a connected TCP socket.
  init?(socket: CInt) {
    var endpoints = ccurl_endpoints()
    guard ccurl_endpoints_of_socket(socket, &endpoints) else { return nil }
    self.init(endpoints)
  }

  /// The endpoints that libcurl reports; `nil` if it reports none, as for a Unix domain socket.
  init?(
    local: UnsafePointer<CChar>?, port localPort: Int, remote: UnsafePointer<CChar>?, port remotePort: Int
  ) {
    var endpoints = ccurl_endpoints()
    guard ccurl_endpoints_of_addresses(local, localPort, remote, remotePort, &endpoints) else { return nil }
    self.init(endpoints)
  }

  private init(_ endpoints: ccurl_endpoints) {
    local = [endpoints.local.0, endpoints.local.1]
    remote = [endpoints.remote.0, endpoints.remote.1]
    ports = [endpoints.localPort, endpoints.remotePort]
  }
}
