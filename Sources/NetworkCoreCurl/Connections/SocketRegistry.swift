internal import CNetworkCoreCurl

/// Owns the connections: creates one for each socket that libcurl opens, and finds it by the addresses that
/// libcurl reports.
///
/// libcurl reports only the endpoints of the connection before it sends a request, not its socket.
///
/// Used on the loop's thread only.
final class SocketRegistry {
  let open: OpenConnections
  private let reactor: OpaquePointer
  private let origins: OriginQueueTable
  @exclusivity(unchecked) private var connections: [ConnectionEndpoints: Connection] = [:]

  init(_ open: OpenConnections, reactor: OpaquePointer, origins: OriginQueueTable) {
    self.open = open
    self.reactor = reactor
    self.origins = origins
  }

  /// Creates the connection of a socket that has been opened.
  ///
  /// - Parameters:
  ///   - socket: the socket.
  ///   - url: the URL of the request for which it was opened.
  /// - Returns: the connection.
  func add(_ socket: CInt, for url: String) -> Connection {
    creactor_note_opening(reactor, socket)
    let connection = Connection(socket: socket, origin: Origin(url: url)?.text ?? "")
    open.insert(connection)
    return connection
  }

  /// Finds out which of the connections that libcurl opened for a request has the endpoints that it reports.
  func identify(_ opened: [Connection], as endpoints: ConnectionEndpoints) -> Connection? {
    let found = opened.last { $0.isOpen && ConnectionEndpoints(socket: $0.socket) == endpoints }
    guard let found else { return nil }
    found.identify(as: endpoints)
    connections[endpoints] = found
    return found
  }

  /// Returns the open connection with endpoints; `nil` if it is not known.
  func connection(with endpoints: ConnectionEndpoints) -> Connection? { connections[endpoints] }

  /// Removes the connection of a socket that is about to close.
  func remove(_ socket: CInt) {
    creactor_note_closing(reactor, socket)
    guard let connection = open.remove(socket) else { return }
    origins.noteClosing(of: connection)
    connection.noteClosing()
    if let endpoints = connection.endpoints, connections[endpoints] === connection {
      connections[endpoints] = nil
    }
  }
}
