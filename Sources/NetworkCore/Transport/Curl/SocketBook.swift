internal import CCurl
internal import Foundation

/// Finds the socket of a connection by the connection's local port, which is all that libcurl tells of it when it is about
/// to send a request, and tells the reactor and the watch which sockets open and close.
///
/// Used on the loop's thread only.
final class SocketBook {
  private let reactor: OpaquePointer
  private let calls: CallWatch
  private let origins: OriginTable
  @exclusivity(unchecked) private var sockets: [Int: CInt] = [:]
  private var ports: [CInt: Int] = [:]
  /// The local ports of connections on which HTTP/1.1 is spoken within TLS.
  private var securePorts: Set<Int> = []

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

  /// Takes down the one of several sockets, opened for one connection, that has the local port.
  func add(_ opened: [CInt], port: Int) {
    guard let socket = opened.last(where: { Self.localPort($0) == port }) else { return }
    sockets[port] = socket
    ports[socket] = port
    calls.noteConnection(port: port)
  }

  /// Forgets a socket that is about to close.
  func remove(_ socket: CInt) {
    creactor_closing(reactor, socket)
    calls.noteClosing(of: socket)
    origins.noteClosing(of: socket)
    guard let port = ports.removeValue(forKey: socket) else { return }
    sockets[port] = nil
    securePorts.remove(port)
  }

  /// The socket of the connection of a port.
  func socket(port: Int) -> CInt? { sockets[port] }

  /// Takes down that HTTP/1.1 is spoken on the secure connection of a port.
  func noteSecureAnswer(port: Int) {
    if sockets[port] != nil { securePorts.insert(port) }
  }

  /// Whether there is something to read from the connection of a port, or it has ended.
  ///
  /// libcurl (7.88) only looks for the end before it uses a kept connection again. What TLS itself sends between two
  /// answers, such as its leave, is no reason to stay with the connection either; with HTTP/2 frames may come at any time.
  func hasInput(port: Int, isSecure: Bool) -> Bool {
    guard let socket = sockets[port], !isSecure || securePorts.contains(port) else { return false }
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
    // A record of TLS: the connection leads to a proxy that is spoken to in it.
    return count == 0 || count > 0 && (isSecure || !(0x14...0x17).contains(byte))
  }

  /// The local port of a connection.
  static func localPort(_ socket: CInt) -> Int? {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { base in
        guard getsockname(socket, base, &size) == 0 else { return nil }
        // The port has the same place in the addresses of IPv4 and IPv6.
        return storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          Int(UInt16(bigEndian: $0.pointee.sin_port))
        }
      }
    }
  }
}
