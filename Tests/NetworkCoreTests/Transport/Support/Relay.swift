import Foundation

/// A proxy for tests: takes connections and passes each on to a port of 127.0.0.1, whatever host is asked for.
///
/// Blocking calls on threads of its own; they end with the sockets, which the object closes when it goes.
final class Relay: Sendable {
  /// What a client has to say before it is passed on.
  enum Entry: Sendable {
    /// Nothing.
    case open
    /// A request for a tunnel, with a value of `Proxy-Authorization` where one is given.
    case connect(authorization: String? = nil)
    /// SOCKS 5, with a user and password where they are given.
    case socks5(user: String? = nil, password: String = "")
  }

  /// The port that it listens on; 0 where it listens on a Unix domain socket.
  let port: UInt16
  /// The hosts that were asked for.
  let log = Log()
  private let listener: CInt

  /// Listens on a free port, or on a Unix domain socket at a path.
  ///
  /// All connections but the first go to another port where one is given.
  init(
    _ entry: Entry = .open, at path: String? = nil, to first: UInt16, then others: UInt16? = nil
  ) throws {
    (listener, port) = try path.map { (try Self.listen(path: $0), 0) } ?? Self.listen()
    let (listener, log) = (listener, log)
    Thread.detachNewThread {
      var next = first
      while true {
        let client = accept(listener, nil, nil)
        if client < 0 { break }
        let target = next
        next = others ?? first
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        Thread.detachNewThread {
          let stream = BlockingStream(client)
          if Self.admit(stream, entry, log), let server = BlockingStream(port: target) {
            stream.exchange(with: server)
          }
          stream.close()
        }
      }
      close(listener)
    }
  }

  deinit {
    // Ends the accept; the thread closes the socket.
    shutdown(listener, CInt(SHUT_RDWR))
  }

  private static func admit(_ stream: BlockingStream, _ entry: Entry, _ log: Log) -> Bool {
    switch entry {
    case .open: return true
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
      return admitSOCKS(stream, user, password, log)
    }
  }

  /// RFC 1928 and RFC 1929, for names and addresses of IPv4.
  private static func admitSOCKS(
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

  private static func listen() throws -> (CInt, UInt16) {
    let descriptor = socket(AF_INET, streamSocket, 0)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var address = loopback(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard isBound, Foundation.listen(descriptor, 64) == 0 else {
      throw Tool.Failure(program: "bind", status: errno, words: "no port")
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  private static func listen(path: String) throws -> CInt {
    let descriptor = socket(AF_UNIX, streamSocket, 0)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isBound, Foundation.listen(descriptor, 64) == 0 else {
      throw Tool.Failure(program: "bind", status: errno, words: path)
    }
    return descriptor
  }
}

#if canImport(Glibc)
  let streamSocket = CInt(SOCK_STREAM.rawValue)
#else
  let streamSocket = SOCK_STREAM
#endif

func loopback(port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return address
}

/// A connected socket whose calls block.
struct BlockingStream: Sendable {
  private let descriptor: CInt

  init(_ descriptor: CInt) {
    self.descriptor = descriptor
  }

  init?(port: UInt16) {
    descriptor = socket(AF_INET, streamSocket, 0)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var address = loopback(port: port)
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    if !isConnected {
      close()
      return nil
    }
  }

  func read(_ count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var byte: UInt8 = 0
      guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  func read(until end: String) -> String {
    var bytes: [UInt8] = []
    while !bytes.suffix(end.utf8.count).elementsEqual(end.utf8), let next = read(1) { bytes += next }
    return String(decoding: bytes, as: UTF8.self)
  }

  @discardableResult
  func write(_ bytes: [UInt8]) -> Bool {
    #if canImport(Glibc)
      let flags = CInt(MSG_NOSIGNAL)
    #else
      let flags: CInt = 0
    #endif
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
      if count <= 0 { return false }
      sent += count
    }
    return true
  }

  /// Copies in both directions until both sides have ended, and closes the other one.
  func exchange(with other: BlockingStream) {
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      other.copy(to: self)
      isDone.signal()
    }
    copy(to: other)
    isDone.wait()
    other.close()
  }

  private func copy(to other: BlockingStream) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 || !other.write(Array(buffer[..<count])) { break }
    }
    shutdown(other.descriptor, CInt(SHUT_WR))
    shutdown(descriptor, CInt(SHUT_RD))
  }

  func close() {
    Foundation.close(descriptor)
  }
}
