internal import Foundation

/// The connections of a handle: those opened for its current request, and the registry of all connections.
struct ConnectionSockets {
  /// The registry outlives the multi handle, which closes the sockets.
  let registry: SocketRegistry
  /// The connections that were opened for the current request, until it is sent over one of them.
  ///
  /// There may be several if a host has several addresses.
  private(set) var opened: [Connection] = []

  init(registry: SocketRegistry) {
    self.registry = registry
  }

  /// Prepares for another request.
  mutating func removeOpened() {
    opened.removeAll(keepingCapacity: true)
  }

  /// Notes that a socket has been opened for the current request; returns its connection.
  mutating func noteOpening(of socket: CInt, for url: String) -> Connection {
    let connection = registry.add(socket, for: url)
    opened.append(connection)
    return connection
  }

  /// Notes that the request is about to be sent; returns its connection, if it is known, and whether that may
  /// have been used before.
  mutating func connection(with endpoints: ConnectionEndpoints) -> (connection: Connection?, isReused: Bool) {
    if opened.isEmpty { return (registry.connection(with: endpoints), true) }
    defer { removeOpened() }
    return (registry.identify(opened, as: endpoints), false)
  }
}

extension CurlConfiguration.Names.Family {
  /// Whether a socket of an address family, such as `AF_INET`, may be opened; families that are local to the
  /// machine always may.
  func accepts(_ addressFamily: CInt) -> Bool {
    switch self {
    case .any: true
    case .ipv4: addressFamily != CInt(AF_INET6)
    case .ipv6: addressFamily != CInt(AF_INET)
    }
  }
}
