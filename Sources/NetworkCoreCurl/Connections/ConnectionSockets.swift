internal import Foundation

/// The sockets of a handle's connections: those opened for its current request, and the registry of the
/// sockets of all connections.
struct ConnectionSockets {
  /// The registry outlives the multi handle, which closes the sockets.
  let registry: SocketRegistry
  private var opened: [CInt] = []

  init(registry: SocketRegistry) {
    self.registry = registry
  }

  /// Prepares for another request.
  mutating func removeOpened() {
    opened.removeAll(keepingCapacity: true)
  }

  /// Notes that a socket has been opened for the current request; there may be several if a host has several
  /// addresses.
  mutating func noteOpening(of socket: CInt) {
    opened.append(socket)
    registry.noteOpening(of: socket)
  }

  /// Whether any socket fulfils a condition, among those opened for the current request and not yet assigned
  /// to its connection.
  func hasOpened(where condition: (CInt) -> Bool) -> Bool { opened.contains(where: condition) }

  /// Notes that the request gets a connection; returns whether it is a reused one.
  ///
  /// A new connection is entered into the registry.
  mutating func noteConnection(_ connection: ConnectionEndpoints) -> Bool {
    if opened.isEmpty { return true }
    registry.add(opened, connection)
    removeOpened()
    return false
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
