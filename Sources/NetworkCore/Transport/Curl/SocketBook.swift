internal import CCurl
internal import Foundation

/// Finds the socket of a connection by the connection's ends, which is all that libcurl tells of it when it is about to send a
/// request, and tells the reactor and the watch which sockets open and close.
///
/// Used on the loop's thread only.
final class SocketBook {
  private let reactor: OpaquePointer
  private let calls: CallWatch
  private let origins: OriginTable
  @exclusivity(unchecked) private var sockets: [ConnectionEnds: CInt] = [:]
  private var connections: [CInt: ConnectionEnds] = [:]
  /// The connections on which HTTP/1.1 is spoken within TLS.
  private var secureConnections: Set<ConnectionEnds> = []

  init(reactor: OpaquePointer, calls: CallWatch, origins: OriginTable) {
    self.reactor = reactor
    self.calls = calls
    self.origins = origins
  }

  /// A socket has been opened.
  func noteOpening(of socket: CInt) {
    creactor_opened(reactor, socket)
    calls.noteOpening(of: socket)
  }

  /// Takes down the one of several sockets, opened for one connection, that has its ends.
  func add(_ opened: [CInt], _ connection: ConnectionEnds) {
    guard let socket = opened.last(where: { ConnectionEnds(socket: $0) == connection }) else { return }
    sockets[connection] = socket
    connections[socket] = connection
    calls.noteConnection(connection)
  }

  /// Forgets a socket that is about to close.
  func remove(_ socket: CInt) {
    creactor_closing(reactor, socket)
    calls.noteClosing(of: socket)
    origins.noteClosing(of: socket)
    guard let connection = connections.removeValue(forKey: socket) else { return }
    sockets[connection] = nil
    secureConnections.remove(connection)
  }

  /// The socket of a connection.
  func socket(of connection: ConnectionEnds) -> CInt? { sockets[connection] }

  /// Takes down that HTTP/1.1 is spoken on a secure connection.
  func noteSecureAnswer(on connection: ConnectionEnds) {
    if sockets[connection] != nil { secureConnections.insert(connection) }
  }

  /// Whether there is something to read from a connection, or it has ended.
  ///
  /// libcurl (7.88) only looks for the end before it uses a kept connection again. What TLS itself sends between two
  /// answers, such as its leave, is no reason to stay with the connection either; with HTTP/2 frames may come at any time.
  func hasInput(on connection: ConnectionEnds, isSecure: Bool) -> Bool {
    guard let socket = sockets[connection], !isSecure || secureConnections.contains(connection) else {
      return false
    }
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
    // A record of TLS: the connection leads to a proxy that is spoken to in it.
    return count == 0 || count > 0 && (isSecure || !(0x14...0x17).contains(byte))
  }
}
