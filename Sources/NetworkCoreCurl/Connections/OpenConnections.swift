internal import ReactiveNetworkLock

/// The open connections of a loop, by socket.
///
/// The loop's thread changes them, and the watchdog's thread reads them under the lock, so that no socket
/// closes meanwhile.
final class OpenConnections: Sendable {
  private let connections = Lock([CInt: Connection]())

  func insert(_ connection: Connection) {
    connections.withLock { $0[connection.socket] = connection }
  }

  func remove(_ socket: CInt) -> Connection? {
    connections.withLock { $0.removeValue(forKey: socket) }
  }

  /// Calls a closure with all connections, none of which is closed before it returns.
  func withAll<Result>(_ body: (Dictionary<CInt, Connection>.Values) -> Result) -> Result {
    connections.withLock { body($0.values) }
  }
}
