#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif
import LoopbackServer

/// A blocking connection to a server, on which a test writes and reads arbitrary bytes.
final class RawClient {
  /// The error or unexpected input that a test encountered.
  enum Failure: Error, Equatable {
    case system(String, Int32)
    case ended(after: String)
    case notHTTP(String)
  }

  struct Response: Equatable {
    var status: Int
    var fields: [String: String]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  private var descriptor: Int32
  private var input: [UInt8] = []

  /// Connects to a Unix socket.
  init(unixSocket path: String) throws {
    #if canImport(Glibc)
      descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    try connect(to: address)
  }

  init(_ server: LoopbackServer, receiveBuffer: Int32? = nil) throws {
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw Failure.system("socket", errno) }
    if var size = receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = server.port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    try connect(to: address)
  }

  /// Connects to ::1.
  init(ipv6Port port: UInt16) throws {
    #if canImport(Glibc)
      descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET6, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_addr = in6addr_loopback
    try connect(to: address)
  }

  private func connect<Address>(to address: Address) throws {
    // With a limit, a faulty test fails instead of hanging.
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let code = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        systemConnect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
    guard code == 0 else { throw Failure.system("connect", errno) }
  }

  deinit {
    disconnect()
  }

  /// Closes the connection, optionally with a reset.
  func disconnect(reset: Bool = false) {
    guard descriptor >= 0 else { return }
    if reset {
      var option = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
    close(descriptor)
    descriptor = -1
  }

  /// Shuts down the sending side.
  func endSending() throws {
    guard shutdown(descriptor, Int32(SHUT_WR)) == 0 else { throw Failure.system("shutdown", errno) }
  }

  /// Whether the server has ended the connection, and all bytes before have been read.
  var isAtEnd: Bool {
    var byte: UInt8 = 0
    return input.isEmpty && recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
  }

  func write(_ text: String) throws { try write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw Failure.system("send", errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// Writes the bytes; returns `false` if the server has closed the connection.
  func writeUnlessClosed(_ bytes: [UInt8]) throws -> Bool {
    do {
      try write(bytes)
      return true
    } catch Failure.system("send", EPIPE), Failure.system("send", ECONNRESET) {
      return false
    }
  }

  /// Sends a request without a body, or with one of a known length.
  func sendRequest(_ method: String = "GET", _ target: String, fields: String = "", body: String? = nil)
    throws
  {
    let length = body.map { "Content-Length: \($0.utf8.count)\r\n" } ?? ""
    try write("\(method) \(target) HTTP/1.1\r\nHost: a\r\n\(length)\(fields)\r\n\(body ?? "")")
  }

  /// Sends a request and returns the response.
  func response(_ method: String = "GET", _ target: String, fields: String = "", body: String? = nil) throws
    -> Response
  {
    try sendRequest(method, target, fields: fields, body: body)
    return try readResponse(to: method)
  }

  /// Reads exactly `count` bytes.
  func read(_ count: Int) throws -> [UInt8] {
    while input.count < count {
      guard try receive() else { throw Failure.ended(after: String(decoding: input, as: UTF8.self)) }
    }
    defer { input.removeFirst(count) }
    return Array(input.prefix(count))
  }

  /// Reads until the server closes the connection.
  func readToEnd() throws -> String { String(decoding: try readBytesToEnd(), as: UTF8.self) }

  /// Reads until the server closes the connection.
  func readBytesToEnd() throws -> [UInt8] {
    while try receive() {}
    defer { input = [] }
    return input
  }

  /// Reads a line, without its CR LF.
  func readLine() throws -> String {
    while true {
      if let end = input.firstIndex(of: 0x0A) {
        var line = Array(input[..<end])
        input.removeSubrange(...end)
        if line.last == 0x0D { line.removeLast() }
        return String(decoding: line, as: UTF8.self)
      }
      guard try receive() else { throw Failure.ended(after: String(decoding: input, as: UTF8.self)) }
    }
  }

  func readHead() throws -> Response {
    let status = try readLine()
    guard status.hasPrefix("HTTP/1.1 "), let code = Int(status.dropFirst(9).prefix(3)) else {
      throw Failure.notHTTP(status)
    }
    return Response(status: code, fields: try readFields(), body: [])
  }

  func readFields() throws -> [String: String] {
    var fields: [String: String] = [:]
    while case let line = try readLine(), !line.isEmpty {
      let halves = line.split(separator: ":", maxSplits: 1)
      fields[halves[0].lowercased()] = halves.count > 1 ? String(halves[1].drop { $0 == " " }) : ""
    }
    return fields
  }

  func readResponse(to method: String = "GET") throws -> Response {
    var response = try readHead()
    guard method != "HEAD", response.status != 204, response.status != 304, response.status >= 200 else {
      return response
    }
    if response.fields["transfer-encoding"] == "chunked" {
      while case let chunk = try readChunk(), !chunk.isEmpty { response.body += chunk }
      response.fields.merge(try readFields()) { $1 }
    } else if let length = response.fields["content-length"].flatMap({ Int($0) }) {
      response.body = try read(length)
    } else {
      response.body = Array(try readToEnd().utf8)
    }
    return response
  }

  /// Reads one chunk; the last one is empty, and its trailers remain unread.
  func readChunk() throws -> [UInt8] {
    let line = try readLine()
    guard let size = Int(line, radix: 16) else { throw Failure.notHTTP(line) }
    guard size > 0 else { return [] }
    let chunk = try read(size)
    guard try readLine().isEmpty else { throw Failure.notHTTP("no line end after a chunk") }
    return chunk
  }

  /// Reads to the end of a chunked body without decoding it.
  func readToEndOfChunks() throws -> String {
    let end = Array("0\r\n\r\n".utf8)
    var text: [UInt8] = []
    while text.suffix(end.count) != end[...] { text += try read(1) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Receives the available bytes; returns `false` at the end of the stream.
  private func receive() throws -> Bool {
    try withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { bytes in
      let count = recv(descriptor, bytes.baseAddress, bytes.count, 0)
      guard count >= 0 else { throw Failure.system("recv", errno) }
      input.append(contentsOf: bytes[..<count])
      return count > 0
    }
  }
}

// A method of the same name would hide it.
private func systemConnect(
  _ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t
) -> Int32 {
  connect(descriptor, address, length)
}
