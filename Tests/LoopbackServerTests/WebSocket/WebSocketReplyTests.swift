import LoopbackServer
import ReactiveNetworkLock
import Testing

@Suite("WebSocket replies", .timeLimit(.minutes(5)))
struct WebSocketReplyTests {
  private static let handshake = """
    GET /chat HTTP/1.1\r
    Host: localhost\r
    Upgrade: websocket\r
    Connection: keep-alive, Upgrade\r
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
    Sec-WebSocket-Version: 13\r
    \r

    """

  @Test("the handshake of the RFC gets its response, and a message that came with it is received")
  func example() throws {
    let received = Lock([LoopbackServer.WebSocket.Message]())
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        while let message = socket.receive() {
          received.withLock { $0.append(message) }
          socket.send(message)
        }
      }
    }
    let client = try RawClient(server)
    // "Hello" and a close frame with 1000, masked (RFC 6455, section 5.7).
    let frames: [UInt8] = [
      0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58, 0x88, 0x82, 0, 0, 0, 0, 3, 0xE8,
    ]
    try client.write(Array(Self.handshake.utf8) + frames)
    let bytes = try client.readBytesToEnd()
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
    #expect(text.contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
    let end = Array("\r\n\r\n".utf8) + [0x81, 5] + Array("Hello".utf8) + [0x88, 2, 3, 0xE8]
    #expect(Array(bytes.suffix(end.count)) == end)
    #expect(received.withLock { $0 } == [.text("Hello")])
  }

  @Test("a compressed message may end with a final block, as in the example of the RFC")
  func finalBlock() throws {
    let received = Lock([LoopbackServer.WebSocket.Message]())
    let server = try LoopbackServer { _ in
      .webSocket(compression: true) { socket in
        while let message = socket.receive() { received.withLock { $0.append(message) } }
      }
    }
    let client = try RawClient(server)
    let handshake = Self.handshake.replacing(
      "Sec-WebSocket-Version", with: "Sec-WebSocket-Extensions: permessage-deflate\r\nSec-WebSocket-Version")
    // "Hello" (RFC 7692, section 7.2.3.4) and a close frame, with a mask of zeros.
    let frames: [UInt8] = [
      0xC1, 0x88, 0, 0, 0, 0, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0, 0, 0x88, 0x82, 0, 0, 0, 0, 3, 0xE8,
    ]
    try client.write(Array(handshake.utf8) + frames)
    #expect(try client.readToEnd().contains("\r\nSec-WebSocket-Extensions: permessage-deflate;"))
    #expect(received.withLock { $0 } == [.text("Hello")])
  }

  @Test("a request that is no handshake gets 400, and one of another version 426")
  func refusals() throws {
    let server = try LoopbackServer { _ in .webSocket { _ in } }
    for (handshake, status) in [
      ("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "400"),
      (
        Self.handshake.replacing("Version: 13", with: "Version: 8").replacing("keep-alive", with: "close"),
        "426"
      ),
      (Self.handshake.replacing("dGhl", with: "").replacing("keep-alive", with: "close"), "400"),
    ] {
      let client = try RawClient(server)
      try client.write(Array(handshake.utf8))
      let text = try client.readToEnd()
      #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(text)")
      // The server names its version (RFC 6455, section 4.4).
      #expect(text.contains("\r\nSec-WebSocket-Version: 13\r\n") == (status == "426"), "\(text)")
    }
  }

  @Test(
    "a handshake is a GET of HTTP/1.1 that asks for an upgrade, and its words may have any case",
    arguments: [
      ("Upgrade: websocket", "Upgrade: WebSocket", 101), ("keep-alive, Upgrade", "Foo,UPGRADE", 101),
      ("GET", "POST", 400), ("Upgrade: websocket", "Upgrade: h2c", 400),
      ("keep-alive, Upgrade", "keep-alive", 400), ("HTTP/1.1", "HTTP/1.0", 400),
    ])
  func handshakes(text: String, replacement: String, status: Int) throws {
    let server = try LoopbackServer { _ in .webSocket { _ in } }
    let client = try RawClient(server)
    try client.write(Array(Self.handshake.replacing(text, with: replacement).utf8))
    #expect(try client.readHead().status == status)
  }

  @Test("a field of the reply replaces that of the handshake, whatever the case of its name")
  func ownField() throws {
    let server = try LoopbackServer { _ in .webSocket { _ in }.header("sec-websocket-accept", "other") }
    let client = try RawClient(server)
    try client.write(Array(Self.handshake.utf8))
    let text = try client.readToEnd().lowercased()
    #expect(text.ranges(of: "sec-websocket-accept:").count == 1)
    #expect(text.contains("sec-websocket-accept: other\r\n"))
  }

  @Test("fragments of the client are one message of the kind of the first, also around a ping")
  func fragments() throws {
    let received = Lock([LoopbackServer.WebSocket.Message]())
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        while let message = socket.receive() { received.withLock { $0.append(message) } }
      }
    }
    let client = try RawClient(server)
    // With a mask of zeros.
    let text: [UInt8] = [0x01, 0x81, 0, 0, 0, 0, 0x48, 0x89, 0x80, 0, 0, 0, 0, 0x80, 0x81, 0, 0, 0, 0, 0x69]
    let binary: [UInt8] = [0x02, 0x81, 0, 0, 0, 0, 1, 0x80, 0x81, 0, 0, 0, 0, 2]
    let close: [UInt8] = [0x88, 0x82, 0, 0, 0, 0, 3, 0xE8]
    try client.write(Array(Self.handshake.utf8) + text + binary + close)
    let end = Array("\r\n\r\n".utf8) + [0x8A, 0, 0x88, 2, 3, 0xE8]
    #expect(try Array(client.readBytesToEnd().suffix(end.count)) == end)
    #expect(received.withLock { $0 } == [.text("Hi"), .binary([1, 2])])
  }

  @Test("pings get no pong if they shall get none")
  func unansweredPings() throws {
    let server = try LoopbackServer { _ in
      .webSocket { socket in while socket.receive(answersPings: false) != nil {} }
    }
    let client = try RawClient(server)
    // A ping and a close frame with 1000, with a mask of zeros.
    let frames: [UInt8] = [0x89, 0x81, 0, 0, 0, 0, 0x78, 0x88, 0x82, 0, 0, 0, 0, 3, 0xE8]
    try client.write(Array(Self.handshake.utf8) + frames)
    let end = Array("\r\n\r\n".utf8) + [0x88, 2, 3, 0xE8]
    #expect(try Array(client.readBytesToEnd().suffix(end.count)) == end)
  }

  @Test(
    "no message is received after the close frame, or a frame without a mask",
    arguments: [[0x88, 0x82, 0, 0, 0, 0, 3, 0xE8], [0x81, 1, 0x41]] as [[UInt8]])
  func afterClose(last: [UInt8]) throws {
    let received = Lock([LoopbackServer.WebSocket.Message?]())
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        for _ in 0..<2 {
          let message = socket.receive()
          received.withLock { $0.append(message) }
        }
      }
    }
    let client = try RawClient(server)
    let text: [UInt8] = [0x81, 0x81, 0, 0, 0, 0, 0x41]
    try client.write(Array(Self.handshake.utf8) + last + text)
    _ = try client.readToEnd()
    #expect(received.withLock { $0 } == [nil, nil])
  }

  @Test(
    "a frame without a mask, or with a length beyond 63 bits, closes the connection with 1002",
    arguments: [[0x81, 1, 65], [0x82, 0xFF] + [UInt8](repeating: 0xFF, count: 12)])
  func invalid(frame: [UInt8]) throws {
    let server = try LoopbackServer { _ in
      .webSocket { socket in while socket.receive() != nil {} }
    }
    let client = try RawClient(server)
    try client.write(Array(Self.handshake.utf8) + frame)
    let bytes = try client.readBytesToEnd()
    #expect(bytes.contains([0x03, 0xEA]))
  }

  @Test(
    "a frame has the fault that was asked for, and no other",
    arguments: [
      (.masked, [0x81, 0x81, 0x12, 0x34, 0x56, 0x78, 0x53]), (.reservedBits(4), [0xC1, 1, 65]),
      (.reservedBits(3), [0xB1, 1, 65]), (.invalidUTF8, [0x81, 2, 65, 0xFF]), (.length(5), [0x81, 5, 65]),
    ] as [(LoopbackServer.WebSocket.FrameFault, [UInt8])])
  func faultyFrame(fault: LoopbackServer.WebSocket.FrameFault, frame: [UInt8]) throws {
    let server = try LoopbackServer { _ in .webSocket { $0.send(.text("A"), with: fault) } }
    let client = try RawClient(server)
    try client.write(Array(Self.handshake.utf8))
    // After the head of the handshake, and before the close frame.
    let end = Array("\r\n\r\n".utf8) + frame + [0x88, 2, 3, 0xE8]
    #expect(try Array(client.readBytesToEnd().suffix(end.count)) == end)
  }

  @Test("nothing follows a frame that was cut, not even a close frame")
  func cutFrame() throws {
    let server = try LoopbackServer { _ in .webSocket { $0.send(.text("A"), with: .cut(after: 1)) } }
    let client = try RawClient(server)
    try client.write(Array(Self.handshake.utf8))
    let end = Array("\r\n\r\n".utf8) + [0x81]
    #expect(try Array(client.readBytesToEnd().suffix(end.count)) == end)
  }

  @Test(
    "the close frame of the client is noted, and answered with its code",
    arguments: [
      ([], nil, ""), ([3], nil, ""), ([0x0F, 0xA1], 4001, ""), ([0x0F, 0xA1, 0x62, 0x79, 0x65], 4001, "bye"),
    ] as [([UInt8], UInt16?, String)])
  func closeFrame(payload: [UInt8], code: UInt16?, reason: String) throws {
    let closing = Lock<LoopbackServer.WebSocket.Closing?>(nil)
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        while socket.receive() != nil {}
        let seen = socket.closing
        closing.withLock { $0 = seen }
      }
    }
    let client = try RawClient(server)
    let frame: [UInt8] = [0x88, 0x80 | UInt8(payload.count), 0, 0, 0, 0]
    try client.write(Array(Self.handshake.utf8) + frame + payload)
    let answer: [UInt8] = code == nil ? [0x88, 0] : [0x88, 2, 0x0F, 0xA1]
    let end = Array("\r\n\r\n".utf8) + answer
    #expect(try Array(client.readBytesToEnd().suffix(end.count)) == end)
    let noted = closing.withLock { $0 }
    let seen = try #require(noted)
    #expect(seen.code == code)
    #expect(seen.reason == reason)
  }

  @Test(
    "the length of a frame has its shortest form",
    arguments: [
      (125, [0x82, 125]), (126, [0x82, 126, 0, 126]), (65_535, [0x82, 126, 0xFF, 0xFF]),
      (65_536, [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
    ] as [(Int, [UInt8])])
  func lengths(count: Int, head: [UInt8]) throws {
    let payload = [UInt8](repeating: 7, count: count)
    let server = try LoopbackServer { _ in .webSocket { $0.send(.binary(payload)) } }
    let client = try RawClient(server)
    try client.write(Array(Self.handshake.utf8))
    #expect(try client.readHead().status == 101)
    #expect(try client.read(head.count) == head)
    #expect(try client.read(count) == payload)
    #expect(try client.read(4) == [0x88, 2, 3, 0xE8])
  }

  @Test("clients that do not close their side, silent or not, lose their connections when their time is over")
  func neverClosing() throws {
    let server = try LoopbackServer { _ in .webSocket { _ in } }
    for (index, isSilent) in [true, false].enumerated() {
      let client = try RawClient(server)
      try client.write(Array(Self.handshake.utf8))
      #expect(try client.readBytesToEnd().suffix(4) == [0x88, 2, 3, 0xE8])
      while try !isSilent && client.writeUnlessClosed([0x8A, 0x80, 0, 0, 0, 0]) {}
      try server.waitUntil { $0.answered == index + 1 && $0.openConnections == 0 }
      client.disconnect()
    }
  }

  @Test("stopping the server ends a socket that waits for a message, and counts it as broken off")
  func stopped() throws {
    let server = try LoopbackServer { _ in
      .webSocket { socket in while socket.receive() != nil {} }
    }
    let client = try RawClient(server)
    try client.write(Array(Self.handshake.utf8))
    try server.waitUntil { $0.requestCount == 1 }
    server.stop()
    _ = try client.readToEnd()
    #expect(server.log.brokenOff == 1)
    #expect(server.log.pending == 0)
    #expect(server.log.openConnections == 0)
  }
}
