internal import CNetworkCoreCurl
internal import Foundation

/// Maps connections to sockets, and notifies the reactor, the watchdog and the origins when sockets open and
/// close.
///
/// libcurl reports only the endpoints of the connection before it sends a request, not its socket.
///
/// Used on the loop's thread only.
final class SocketRegistry {
  private let reactor: OpaquePointer
  private let watchdog: FloodWatchdog
  private let origins: OriginQueueTable
  private let statistics: LoopStatistics
  @exclusivity(unchecked) private var sockets: [ConnectionEndpoints: CInt] = [:]
  private var connections: [CInt: ConnectionEndpoints] = [:]
  /// The state of the other side when a connection closed, for the connections that have closed in this
  /// iteration of the loop.
  private var closed: [ConnectionEndpoints: PeerState] = [:]
  /// The TLS connections that use HTTP/1.1.
  private var secureConnections: Set<ConnectionEndpoints> = []
  /// For each connection that its server has left (GOAWAY), the last stream that the server has processed or
  /// may process.
  private var goAways: [ConnectionEndpoints: UInt32] = [:]

  init(reactor: OpaquePointer, watchdog: FloodWatchdog, origins: OriginQueueTable, statistics: LoopStatistics)
  {
    self.reactor = reactor
    self.watchdog = watchdog
    self.origins = origins
    self.statistics = statistics
  }

  /// Notes that a socket has been opened.
  func noteOpening(of socket: CInt) {
    creactor_note_opening(reactor, socket)
    watchdog.noteOpening(of: socket)
  }

  /// Records which of the sockets that libcurl opened for a connection has its endpoints.
  func add(_ opened: [CInt], _ connection: ConnectionEndpoints) {
    guard let socket = opened.last(where: { ConnectionEndpoints(socket: $0) == connection }) else { return }
    sockets[connection] = socket
    connections[socket] = connection
    goAways[connection] = nil
    watchdog.noteConnection(connection)
  }

  /// Removes a socket that is about to close.
  func remove(_ socket: CInt) {
    creactor_note_closing(reactor, socket)
    watchdog.noteClosing(of: socket)
    origins.noteClosing(of: socket)
    statistics.noteClosing(of: socket)
    guard let connection = connections.removeValue(forKey: socket) else { return }
    closed[connection] = PeerState(socket: socket)
    sockets[connection] = nil
    secureConnections.remove(connection)
  }

  /// Returns the state of the other side of a connection that is open or has closed in this iteration of the
  /// loop.
  func peerState(of connection: ConnectionEndpoints) -> PeerState? {
    sockets[connection].flatMap { PeerState(socket: $0) } ?? closed[connection]
  }

  /// Removes the connections that have closed.
  func removeClosed() {
    guard !closed.isEmpty else { return }
    for connection in closed.keys { goAways[connection] = nil }
    closed.removeAll(keepingCapacity: true)
  }

  /// Notes that a server has left a connection, and the last stream that it has processed or may process.
  ///
  /// The server may send several GOAWAY frames, each with the same stream or an earlier one (RFC 9113,
  /// section 6.8).
  func noteGoAway(on connection: ConnectionEndpoints, last: UInt32) {
    goAways[connection] = min(last, goAways[connection] ?? last)
    if let socket = sockets[connection] { origins.noteClosing(of: socket) }
  }

  /// Returns the last stream that the server has processed or may process, for a connection that is open or
  /// has closed in this iteration of the loop; `nil` if the server has not left it.
  func lastProcessedStream(of connection: ConnectionEndpoints) -> UInt32? { goAways[connection] }

  /// Returns the socket of a connection.
  func socket(of connection: ConnectionEndpoints) -> CInt? { sockets[connection] }

  /// Notes that a secure connection uses HTTP/1.1.
  func noteSecureResponse(on connection: ConnectionEndpoints) {
    if sockets[connection] != nil { secureConnections.insert(connection) }
  }

  /// Whether there are unread bytes on a connection, or it has ended.
  ///
  /// libcurl (7.88 and 8.23) checks only for the end before it reuses a connection. With 8.12 and 8.16,
  /// the tests of unsolicited bytes pass without this check. Bytes that TLS itself sends between two
  /// responses, such as its close_notify, are a reason to abandon the connection as well. With HTTP/2, frames
  /// may arrive at any time.
  func hasInput(on connection: ConnectionEndpoints, isSecure: Bool) -> Bool {
    guard let socket = sockets[connection], !isSecure || secureConnections.contains(connection) else {
      return false
    }
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
    // A byte from 0x14 to 0x17 begins a TLS record: the connection leads to a proxy over TLS.
    return count == 0 || count > 0 && (isSecure || !(0x14...0x17).contains(byte))
  }
}
