import LoopbackServer
import Testing

/// The frames of the server, seen by a client that is no library.
@Suite("HTTP/2 frames", .timeLimit(.minutes(5)))
struct HTTP2FrameTests {
  private struct Frame: Equatable {
    enum Kind: UInt8 {
      case data, headers, settings = 4, goAway = 7
      case unknown = 0xAB
    }

    var kind: Kind?
    var stream: UInt8
    var payload: [UInt8]
  }

  private final class Client {
    private let client: RawClient

    /// Connects, and sends a request with stream 1.
    init(_ server: LoopbackServer) throws {
      client = try RawClient(server)
      let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
      try client.write(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings)
      try request(stream: 1)
    }

    /// Sends a request for http://a/.
    func request(stream: UInt16) throws {
      let fields: [UInt8] = [0x82, 0x86, 0x84, 0x41, 1, UInt8(ascii: "a")]
      try client.write([0, 0, UInt8(fields.count), 1, 5] + Self.bytes(of: stream) + fields)
    }

    /// Cancels a request (RST_STREAM).
    func cancel(stream: UInt16) throws {
      try client.write([0, 0, 4, 3, 0] + Self.bytes(of: stream) + [0, 0, 0, 8])
    }

    private static func bytes(of stream: UInt16) -> [UInt8] {
      [0, 0, UInt8(stream >> 8), UInt8(truncatingIfNeeded: stream)]
    }

    var isAtEnd: Bool { client.isAtEnd }

    func disconnect() { client.disconnect() }

    /// Returns the next frame other than settings; `nil` at the end.
    func next() throws -> Frame? {
      while let head = try? client.read(9) {
        let payload = try client.read(Int(head[1]) << 8 | Int(head[2]))
        let kind = Frame.Kind(rawValue: head[3])
        if kind != .settings { return Frame(kind: kind, stream: head[8], payload: payload) }
      }
      return nil
    }
  }

  private func server(
    closesAfterGoAway: Bool = true, _ reply: LoopbackServer.Reply
  ) throws -> LoopbackServer {
    var options = LoopbackServer.Options()
    options.http2 = LoopbackServer.HTTP2()
    options.http2?.closesAfterGoAway = closesAfterGoAway
    return try LoopbackServer(options: options) { _ in reply }
  }

  private static func goAway(last: UInt8) -> Frame {
    Frame(kind: .goAway, stream: 0, payload: [0, 0, 0, last, 0, 0, 0, 0])
  }

  @Test("GOAWAY before the head excludes the request, and the server closes the connection")
  func excluded() throws {
    let server = try server(.text("unsent").http2(.goAway(last: 0), before: .head))
    let client = try Client(server)
    #expect(try client.next() == Self.goAway(last: 0))
    #expect(try client.next() == nil)
    try server.waitUntil { $0.brokenOff == 1 && $0.pending == 0 && $0.abandoned.isEmpty }
  }

  @Test("after GOAWAY, the server may leave closing the connection to the client")
  func leftOpen() throws {
    let server = try server(
      closesAfterGoAway: false, .text("unsent").http2(.goAway(last: 0), before: .head))
    let client = try Client(server)
    #expect(try client.next() == Self.goAway(last: 0))
    // Served after anything that the server does with the first connection.
    #expect(try Client(server).next() == Self.goAway(last: 0))
    #expect(!client.isAtEnd)
    client.disconnect()
    try server.waitUntil { $0.openConnections == 0 }
    #expect(server.log.brokenOff == 2)
    #expect(server.log.abandoned.isEmpty)
  }

  @Test("a client may cancel any number of requests on a connection")
  func cancels() throws {
    let count = 1_200
    var options = LoopbackServer.Options()
    options.http2 = LoopbackServer.HTTP2()
    let server = try LoopbackServer(options: options) {
      $0.indexOnConnection < count ? .never : .text("the last")
    }
    let client = try Client(server)
    try client.cancel(stream: 1)
    for number in 1..<count {
      try client.request(stream: UInt16(2 * number + 1))
      try client.cancel(stream: UInt16(2 * number + 1))
    }
    try client.request(stream: UInt16(2 * count + 1))
    #expect(try client.next()?.kind == .headers)
    #expect(server.log.requestCount == count + 1)
  }

  @Test("a connection that ends without a response ends after the frames before it")
  func closed() throws {
    let server = try server(.close.http2(.goAway(last: 1), before: .head))
    let client = try Client(server)
    #expect(try client.next() == Self.goAway(last: 1))
    #expect(try client.next() == nil)
    try server.waitUntil { $0.brokenOff == 1 && $0.pending == 0 }
  }

  @Test("events before the head, before the body and in the body keep their places")
  func order() throws {
    let unknown = { (payload: UInt8) -> [UInt8] in [0, 0, 1, 0xAB, 0, 0, 0, 0, 1, payload] }
    let server = try server(
      .text("text").http2(.raw(unknown(1)), before: .head).http2(.raw(unknown(2)), before: .body)
        .http2(.raw(unknown(3)), after: 2).http2(.goAway(), after: 3))
    let client = try Client(server)
    var frames: [Frame] = []
    while let frame = try client.next() { frames.append(frame) }
    let kinds: [Frame.Kind?] = [
      .unknown, .headers, .unknown, .data, .unknown, .data, .goAway, .data,
    ]
    #expect(frames.map(\.kind) == kinds)
    #expect(frames.filter { $0.kind == .unknown }.map(\.payload) == [[1], [2], [3]])
    #expect(frames.filter { $0.kind == .data }.map(\.payload.count) == [2, 1, 1])
    #expect(server.log.answered == 1)
  }
}
