import LoopbackServer
import Testing

@Suite("The first bytes of HTTP/2", .timeLimit(.minutes(5)))
struct HTTP2PrefaceTests {
  private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  private func server() throws -> LoopbackServer {
    var options = LoopbackServer.Options()
    options.http2 = LoopbackServer.HTTP2()
    return try LoopbackServer(options: options) { .text($0.method) }
  }

  @Test("the preface is recognized in any pieces, and answered with the server's settings")
  func pieces() throws {
    let server = try server()
    for split in 1..<Self.preface.count {
      let client = try RawClient(server)
      try client.write(Array(Self.preface[..<split]))
      try client.write(Self.preface[split...] + [0, 0, 0, 4, 0, 0, 0, 0, 0])
      // The head of a SETTINGS frame with two settings.
      #expect(try client.read(9) == [0, 0, 12, 4, 0, 0, 0, 0, 0])
    }
  }

  private static func http2(streams: UInt32, window: UInt32) -> LoopbackServer.HTTP2 {
    var http2 = LoopbackServer.HTTP2()
    http2.streamLimit = streams
    http2.windowSize = window
    return http2
  }

  @Test(
    "the server's settings have the limit of streams and the size of their windows",
    arguments: [
      (LoopbackServer.HTTP2(), [0, 3, 0, 0, 0, 100, 0, 4, 0, 0, 0xFF, 0xFF]),
      (http2(streams: 258, window: 1 << 24), [0, 3, 0, 0, 1, 2, 0, 4, 1, 0, 0, 0]),
      (http2(streams: 1, window: .max), [0, 3, 0, 0, 0, 1, 0, 4, 0x7F, 0xFF, 0xFF, 0xFF]),
    ] as [(LoopbackServer.HTTP2, [UInt8])])
  func settings(http2: LoopbackServer.HTTP2, payload: [UInt8]) throws {
    var options = LoopbackServer.Options()
    options.http2 = http2
    let server = try LoopbackServer(options: options)
    let client = try RawClient(server)
    try client.write(Self.preface + [0, 0, 0, 4, 0, 0, 0, 0, 0])
    #expect(try Array(client.read(9 + payload.count).dropFirst(9)) == payload)
  }

  @Test("a request that begins like the preface is one of HTTP/1.1")
  func http1() throws {
    let server = try server()
    let client = try RawClient(server)
    try client.write("PR")
    #expect(try client.response("IX", "/").text == "PRIX")
    #expect(server.log.answered == 1)
  }

  @Test("a client that does not go on in HTTP/2 is rejected with GOAWAY")
  func invalid() throws {
    let server = try server()
    let client = try RawClient(server)
    try client.write(Self.preface + Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    let bytes = try client.readBytesToEnd()
    #expect(bytes.count > 21 && bytes[21 + 3] == 7, "\(bytes)")
    #expect(server.log.rejected == 1)
    #expect(server.log.requestCount == 0)
  }

  @Test("without HTTP/2, the preface gets 505")
  func disabled() throws {
    let server = try LoopbackServer()
    let client = try RawClient(server)
    try client.write(Self.preface)
    #expect(try client.readHead().status == 505)
    #expect(server.log.rejected == 1)
  }
}
