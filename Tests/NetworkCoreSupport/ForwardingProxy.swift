import Foundation

/// A proxy for tests: forwards each connection to a port of 127.0.0.1, whichever host the client requests.
final class ForwardingProxy: Sendable {
  /// The handshake that a client must perform before its connection is forwarded.
  enum Handshake: Sendable {
    /// None.
    case notRequired
    /// A request for a tunnel; if given, with this value of `Proxy-Authorization`.
    case connect(authorization: String? = nil)
    /// A SOCKS 5 handshake; if given, with this user and password.
    case socks5(user: String? = nil, password: String = "")
  }

  /// The hosts that clients requested.
  let log = Log()
  private let server: RawServer

  /// Listens on a free port, or on a Unix domain socket at a path.
  ///
  /// If `others` is given, all connections except the first are forwarded to that port.
  init(
    _ handshake: Handshake = .notRequired, at path: String? = nil, to first: UInt16,
    then others: UInt16? = nil
  ) throws {
    let log = log
    server = try RawServer(at: path) { stream, index in
      let port = index == 0 ? first : others ?? first
      if Self.performHandshake(stream, handshake, log), let server = BlockingStream(port: port) {
        stream.forward(to: server)
      }
    }
  }

  /// The port that the proxy listens on; 0 for a Unix domain socket.
  var port: UInt16 { server.port }

  private static func performHandshake(_ stream: BlockingStream, _ handshake: Handshake, _ log: Log) -> Bool {
    switch handshake {
    case .notRequired: return true
    case .connect(let authorization):
      let head = stream.read(until: "\r\n\r\n")
      let words = head.split(separator: " ", maxSplits: 2)
      guard words.count == 3, words[0] == "CONNECT" else { return false }
      if let authorization, !head.contains("Proxy-Authorization: \(authorization)\r\n") {
        stream.write(Array("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n".utf8))
        return false
      }
      log(String(words[1]))
      stream.write(Array("HTTP/1.1 200 Yes\r\n\r\n".utf8))
      return true
    case .socks5(let user, let password):
      return performSOCKSHandshake(stream, user, password, log)
    }
  }

  /// Performs the handshake of RFC 1928 and RFC 1929, for names and IPv4 addresses.
  private static func performSOCKSHandshake(
    _ stream: BlockingStream, _ user: String?, _ password: String, _ log: Log
  ) -> Bool {
    guard let greeting = stream.read(2), greeting[0] == 5, stream.read(Int(greeting[1])) != nil else {
      return false
    }
    stream.write([5, user == nil ? 0 : 2])
    if let user {
      guard let head = stream.read(2), let name = stream.read(Int(head[1])), let length = stream.read(1),
        let secret = stream.read(Int(length[0]))
      else { return false }
      let isRight = name == Array(user.utf8) && secret == Array(password.utf8)
      stream.write([1, isRight ? 0 : 1])
      if !isRight { return false }
    }
    guard let request = stream.read(4), request[1] == 1 else { return false }
    let host: String
    switch request[3] {
    case 1: host = (stream.read(4) ?? []).map { "\($0)" }.joined(separator: ".")
    case 3: host = String(decoding: stream.read(Int(stream.read(1)?[0] ?? 0)) ?? [], as: UTF8.self)
    default: return false
    }
    guard let port = stream.read(2) else { return false }
    log("\(host):\(Int(port[0]) << 8 | Int(port[1]))")
    stream.write([5, 0, 0, 1, 127, 0, 0, 1, 0, 0])
    return true
  }
}
