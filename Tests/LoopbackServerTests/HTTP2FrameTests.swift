import LoopbackServer
import Testing

/// The frames of the server, seen by a client that is no library.
@Suite("HTTP/2 frames", .timeLimit(.minutes(5)))
struct HTTP2FrameTests {
  private struct Frame: Equatable {
    enum Kind: UInt8 {
      case data, headers, reset = 3, settings = 4, goAway = 7
      case unknown = 0xAB
    }

    var kind: Kind?
    var stream: UInt8
    var payload: [UInt8]
  }

  private final class Client {
    /// The fields of requests for http://a/ (RFC 7541).
    static let get: [UInt8] = [0x82, 0x86, 0x84, 0x41, 1, UInt8(ascii: "a")]
    static let head: [UInt8] = [0x02, 4, 0x48, 0x45, 0x41, 0x44, 0x86, 0x84, 0x41, 1, UInt8(ascii: "a")]

    private let client: RawClient

    /// Connects, and sends a request with stream 1.
    init(_ server: LoopbackServer, fields: [UInt8] = Client.get) throws {
      client = try RawClient(server)
      let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
      try client.write(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings)
      try request(stream: 1, fields: fields)
    }

    /// Sends a request without a body.
    func request(stream: UInt16, fields: [UInt8] = Client.get) throws {
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

  @Test("a body continues after an event of TLS before which everything has been sent")
  func eventAfterBlock() throws {
    // More than the server writes at a time, so that it finds nothing to send before the event.
    let unknown: [UInt8] = [0, 0x40, 0, 0xAB, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 16_384)
    let block = Array(repeatElement(unknown, count: 4).joined())
    let server = try server(.text("text").http2(.raw(block), before: .body).tls(.keyUpdate, after: 2))
    let client = try Client(server)
    var frames: [Frame] = []
    for _ in 0..<7 { frames.append(try #require(try client.next())) }
    #expect(frames.filter { $0.kind == .data }.map(\.payload.count) == [2, 2])
  }

  @Test("a head of the largest size is accepted, and one byte more is not", arguments: [0, 1])
  func largestHead(surplus: Int) throws {
    var options = LoopbackServer.Options()
    options.http2 = LoopbackServer.HTTP2()
    // The bytes of `:method` GET, `:scheme` http, `:path` / and `:authority` a.
    options.headLimit = 38 - surplus
    let server = try LoopbackServer(options: options) { _ in .status(204) }
    let client = try Client(server)
    #expect(try client.next()?.kind == .headers)
    #expect(server.log.rejected == surplus)
    let hosts = server.log.requests.map { $0.headers["Host"] ?? "none" }
    #expect(hosts == (surplus == 0 ? ["a"] : []))
  }

  @Test("a request has one host, and no pseudo-field", arguments: [true, false])
  func host(hasAuthority: Bool) throws {
    let server = try server(.status(204))
    var fields: [UInt8] = [0x82, 0x86, 0x84]
    if hasAuthority { fields += [0x41, 1, UInt8(ascii: "a")] }
    fields += [0, 4]
    fields += Array("host".utf8)
    fields += [1, UInt8(ascii: "a")]
    let client = try Client(server, fields: fields)
    #expect(try client.next()?.kind == .headers)
    let headers = try #require(server.log.requests.first?.headers)
    #expect(headers.map(\.name).count == 1)
    #expect(headers.values(of: "host") == ["a"])
  }

  @Test("GOAWAY names a stream of the client, and has the code that was asked for, which is no rejection")
  func goAwayWithCode() throws {
    let server = try server(.text("abc").http2(.goAway(last: 2, code: 11), before: .head))
    let client = try Client(server)
    #expect(try client.next() == Frame(kind: .goAway, stream: 0, payload: [0, 0, 0, 1, 0, 0, 0, 11]))
    #expect(try client.next()?.kind == .headers)
    #expect(try client.next()?.kind == .data)
    #expect(try client.next() == nil)
    #expect(server.log.rejected == 0)
    #expect(server.log.answered == 1)
  }

  @Test(
    "a stream is reset with the code that was asked for, and a truncated one with INTERNAL_ERROR",
    arguments: [
      (.streamReset(code: 7), 7), (.text("abc").truncated(after: 0, of: .head, by: .reset), 2),
    ] as [(LoopbackServer.Reply, UInt8)])
  func resets(reply: LoopbackServer.Reply, code: UInt8) throws {
    let server = try server(reply)
    let client = try Client(server)
    #expect(try client.next() == Frame(kind: .reset, stream: 1, payload: [0, 0, 0, code]))
    try server.waitUntil { $0.brokenOff == 1 && $0.pending == 0 }
  }

  @Test("a malformed request is rejected, and its stream is reset with PROTOCOL_ERROR")
  func malformed() throws {
    let server = try server(.text("abc"))
    // There is no `:path`.
    let client = try Client(server, fields: [0x82, 0x86, 0x41, 1, UInt8(ascii: "a")])
    #expect(try client.next() == Frame(kind: .reset, stream: 1, payload: [0, 0, 0, 1]))
    try server.waitUntil { $0.rejected == 1 }
    #expect(server.log.requestCount == 0)
  }

  @Test("a response to HEAD has no frame of a body")
  func responseToHead() throws {
    let server = try server(.text("abc"))
    let client = try Client(server, fields: Client.head)
    try client.request(stream: 3)
    var frames: [Frame] = []
    for _ in 0..<3 { frames.append(try #require(try client.next())) }
    let kinds: [Frame.Kind?] = [.headers, .headers, .data]
    #expect(frames.map(\.kind) == kinds)
    #expect(frames.map(\.stream) == [1, 3, 3])
  }

  @Test(
    "a body is one frame, without chunks, and its end does not close the connection",
    arguments: [LoopbackServer.Reply.text("abc"), .text("abc").chunked(), .text("abc").endedByClosing()])
  func bodies(reply: LoopbackServer.Reply) throws {
    let server = try server(reply)
    let client = try Client(server)
    let body = Array("abc".utf8)
    #expect(try client.next()?.kind == .headers)
    #expect(try client.next() == Frame(kind: .data, stream: 1, payload: body))
    try client.request(stream: 3)
    #expect(try client.next()?.kind == .headers)
    #expect(try client.next() == Frame(kind: .data, stream: 3, payload: body))
  }

  @Test("a reply that closes the connection ends it with GOAWAY after the response")
  func closing() throws {
    let server = try server(.text("abc").closingConnection())
    let client = try Client(server)
    #expect(try client.next()?.kind == .headers)
    #expect(try client.next()?.kind == .data)
    #expect(try client.next() == Self.goAway(last: 1))
    #expect(try client.next() == nil)
    #expect(server.log.answered == 1)
  }

  @Test("an informational response is a head of its own")
  func informational() throws {
    let server = try server(.text("abc").preceded(by: 103, headers: [("Link", "</a>")]))
    let client = try Client(server)
    #expect(try client.next()?.kind == .headers)
    #expect(try client.next()?.kind == .headers)
    #expect(try client.next()?.kind == .data)
  }
}
