import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

/// The HTTP/2 of the server, seen by libcurl.
@Suite("HTTP/2 of LoopbackServer", .timeLimit(.minutes(5)))
struct LoopbackServerHTTP2Tests {
  private func server(
    isSecure: Bool = true, _ change: (inout LoopbackServer.HTTP2) -> Void = { _ in },
    _ handler: @escaping LoopbackServer.Handler
  ) throws -> LoopbackServer {
    var options = LoopbackServer.Options()
    var http2 = LoopbackServer.HTTP2()
    change(&http2)
    options.http2 = http2
    return try LoopbackServer(tls: isSecure ? .generated : nil, options: options, handler: handler)
  }

  private func transport(
    _ server: LoopbackServer, _ version: CurlConfiguration.VersionPolicy = .automatic
  ) throws -> CurlTransport {
    var configuration = CurlConfiguration()
    if !server.authority.isEmpty { configuration.tls.authorities = .data(server.authority) }
    configuration.httpVersion = version
    return try CurlTransport(configuration: configuration)
  }

  private func request(
    _ server: LoopbackServer, _ path: String = "/", _ body: Data? = nil
  ) -> TransportRequest {
    guard let body else { return TransportRequest(url: server.origin + path) }
    return TransportRequest(method: .post, url: server.origin + path, body: .data(body))
  }

  @Test("requests at once are streams of one connection, whose log names connection and stream")
  func streams() async throws {
    let server = try server { .text("\($0.stream ?? 0)") }
    let transport = try transport(server)
    #expect(await transport.exchange(request(server)).head?.httpVersion == .http2)
    let bodies = await withTaskGroup(of: Data.self) { group in
      for _ in 0..<20 { group.addTask { await transport.exchange(request(server)).body } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(bodies).count == 20)
    let log = server.log
    #expect(Set(log.requests.map(\.connection)) == [1])
    #expect(log.requests.compactMap(\.stream) == Array(stride(from: 1, to: 42, by: 2)))
    #expect(log.answered == 21)
    #expect(log.requests.first?.handshake?.applicationProtocol == "h2")
    #expect(log.requests.first?.headers["Host"] == "127.0.0.1:\(server.port)")
  }

  @Test("a client with prior knowledge is served without TLS, and one without it over HTTP/1.1")
  func priorKnowledge() async throws {
    let server = try server(isSecure: false) { .text($0.stream == nil ? "1.1" : "2") }
    for (version, text) in [(CurlConfiguration.VersionPolicy.http2PriorKnowledge, "2"), (.http1_1, "1.1")] {
      let body = await (try transport(server, version)).exchange(request(server)).body
      #expect(String(decoding: body, as: UTF8.self) == text)
    }
  }

  @Test("large bodies pass in both directions, also through a small window")
  func large() async throws {
    let body = Data((0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 * 31) })
    for window in [65_535, 100_000] as [UInt32] {
      let server = try server({ $0.windowSize = window }) { .bytes($0.body) }
      #expect(await (try transport(server)).exchange(request(server, "/", body)).body == body)
    }
    let small = try server({ $0.windowSize = 7 }) { .text("\($0.bodyLength)") }
    let events = await (try transport(small)).exchange(request(small, "/", Data(count: 1000)))
    #expect(String(decoding: events.body, as: UTF8.self) == "1000")
  }

  @Test("a closed window lets no body arrive, and the server sees the client leave")
  func closedWindow() async throws {
    let server = try server({ $0.windowSize = 0 }) { _ in .status(200) }
    // A client may send 65,535 bytes before it has read the server's settings.
    let transport = try transport(server)
    let (transfer, recorder) = transport.record(request(server, "/", Data(count: 1 << 20)))
    try await server.log { $0.bytesReceived > 100 }
    transfer.cancel()
    #expect(await recorder.waitForEnd().error == .cancelled)
    try await server.log { $0.abandoned.first?.phase == .receiving }
    #expect(server.log.requestCount == 0)
  }

  @Test("the window opens with a gate, until when a client may send 65,535 bytes")
  func windowGate() async throws {
    let gate = LoopbackServer.Gate()
    let server = try server({ $0.windowGate = gate }) { .text("\($0.bodyLength)") }
    let transport = try transport(server)
    let (_, recorder) = transport.record(request(server, "/", Data(count: 200_000)))
    let held = try await server.log { $0.bytesReceived > 65_535 }
    // A client that may send more would have sent it with the first bytes.
    #expect(held.bytesReceived < 70_000)
    #expect(held.requestCount == 0)
    gate.open()
    #expect(await recorder.waitForEnd().body == Data("200000".utf8))
    #expect(await transport.exchange(request(server, "/", Data(count: 100_000))).body == Data("100000".utf8))
  }

  @Test("a trickled response ends with its last piece, without another pause")
  func trickledEnd() async throws {
    let server = try server { _ in .text("abc").trickled(chunk: 3, every: .seconds(3600)) }
    let transport = try transport(server)
    let (_, recorder) = transport.record(request(server))
    try await server.log { $0.answered == 1 }
    #expect(await recorder.waitForEnd().body == Data("abc".utf8))
  }

  @Test("responses with a delay, a pause in the body, an informational head and trailers arrive whole")
  func replies() async throws {
    let gate = LoopbackServer.Gate()
    let server = try server { request in
      switch request.path {
      case "/held": .text("held").held(until: gate)
      case "/trickled": .text("trickled").trickled(chunk: 3, every: .milliseconds(1))
      case "/early": .text("early").preceded(by: 103, headers: [("Link", "</a>")]).bodyDelayed(by: .zero)
      case "/trailers": .text("trailers").trailer("X-Last", "1")
      case "/none": .status(204)
      default: .text("body").bodyHeld(until: gate, after: 2)
      }
    }
    let transport = try transport(server)
    for path in ["/trickled", "/early", "/trailers", "/none"] {
      let events = await transport.exchange(request(server, path))
      #expect(events.error == nil)
      #expect(String(decoding: events.body, as: UTF8.self) == (path == "/none" ? "" : path.dropFirst()))
    }
    let waiting = ["/held", "/body"].map { transport.record(request(server, $0)) }
    await waiting[1].1.waitUntil { $0.body.count == 2 }
    #expect(waiting[0].1.events.heads == 0)
    gate.open()
    #expect(await waiting[0].1.waitForEnd().body == Data("held".utf8))
    #expect(await waiting[1].1.waitForEnd().body == Data("body".utf8))
    #expect(server.log.answered == 6)
  }

  @Test("a response can be cut off by a reset of its stream, which leaves the others alone")
  func streamReset() async throws {
    let gate = LoopbackServer.Gate()
    let server = try server { request in
      request.path == "/cut"
        ? .repeating(1, count: 10_000).truncated(after: 5_000, by: .reset)
        : .text("whole").held(until: gate)
    }
    let transport = try transport(server)
    let other = transport.record(request(server, "/other"))
    try await server.log { $0.pending == 1 }
    let cut = await transport.exchange(request(server, "/cut"))
    #expect(cut.error != nil)
    #expect(cut.body.count <= 5_000)
    gate.open()
    #expect(await other.1.waitForEnd().body == Data("whole".utf8))
    #expect(server.log.brokenOff == 1)
    #expect(server.log.connectionsAccepted == 1)
  }

  @Test("a cancelled request resets its stream, and the others of its connection go on")
  func cancelled() async throws {
    let gate = LoopbackServer.Gate()
    let server = try server { $0.path == "/never" ? .never : .text("other").held(until: gate) }
    let transport = try transport(server)
    let other = transport.record(request(server))
    try await server.log { $0.pending == 1 }
    let (transfer, recorder) = transport.record(request(server, "/never"))
    try await server.log { $0.pending == 2 }
    transfer.cancel()
    #expect(await recorder.waitForEnd().error == .cancelled)
    try await server.log { $0.abandoned.first?.phase == .waiting && $0.pending == 1 }
    gate.open()
    #expect(await other.1.waitForEnd().body == Data("other".utf8))
    #expect(server.log.connectionsAccepted == 1)
  }

  @Test("GOAWAY lets the response pass, and the next request takes another connection")
  func goAway() async throws {
    let server = try server { _ in .text("bye").http2(.goAway(), after: 1) }
    let transport = try transport(server)
    for _ in 0..<2 { #expect(await transport.exchange(request(server)).body == Data("bye".utf8)) }
    #expect(server.log.requests.map(\.connection) == [1, 2])
  }

  @Test("a refused stream is sent again on the server's word that it has not been served")
  func refused() async throws {
    let server = try server { $0.indexOnConnection == 0 ? .streamReset(code: 7) : .text("served") }
    let events = await (try transport(server)).exchange(request(server))
    #expect(server.log.brokenOff >= 1)
    #expect(events.error != nil || events.body == Data("served".utf8))
  }

  @Test("pings, a new limit of streams and frames of one's own may come in the middle of a body")
  func events() async throws {
    let unknownFrame: [UInt8] = [0, 0, 3, 0xAB, 0, 0, 0, 0, 0, 1, 2, 3]
    let server = try server { _ in
      .text("whole").http2(.flood(.ping, count: 50), after: 1).http2(.streamLimit(1), after: 2)
        .http2(.raw(unknownFrame), after: 3)
    }
    let transport = try transport(server)
    for _ in 0..<2 { #expect(await transport.exchange(request(server)).body == Data("whole".utf8)) }
  }

  @Test(
    "after a flood in the middle of a body the response is whole or has failed, and the next one is whole",
    arguments: LoopbackServer.Reply.FloodFrame.allCases)
  func floods(frame: LoopbackServer.Reply.FloodFrame) async throws {
    let server = try server { request in
      request.path == "/flood" ? .text("whole").http2(.flood(frame, count: 10_000), after: 1) : .text("next")
    }
    let transport = try transport(server)
    let events = await transport.exchange(request(server, "/flood"))
    switch frame {
    case .trailer, .reset: #expect(events.error != nil)
    case .ping, .settings, .emptyData: #expect(events.error != nil || events.body == Data("whole".utf8))
    }
    #expect(server.log.bytesSent > (events.error == nil ? 10_000 * 9 : 1_000))
    #expect(await transport.exchange(request(server)).body == Data("next".utf8))
  }

  @Test("heads and bodies beyond the limits are rejected, and the connection stays")
  func limits() async throws {
    var options = LoopbackServer.Options()
    options.http2 = LoopbackServer.HTTP2()
    options.headLimit = 1_000
    options.bodyLimit = 1_000
    let server = try LoopbackServer(tls: .generated, options: options) { _ in .text("small enough") }
    let transport = try transport(server)
    var large = request(server)
    large.headers.add(name: "X-Large", value: String(repeating: "x", count: 2_000))
    #expect(await transport.exchange(large).status == 431)
    #expect(await transport.exchange(request(server, "/", Data(count: 1 << 20))).status == 413)
    for body in [nil, Data(count: 1_000)] {
      #expect(await transport.exchange(request(server, "/", body)).body == Data("small enough".utf8))
    }
    let log = server.log
    #expect(log.rejected == 2)
    #expect(log.requestCount == 2)
    #expect(log.answered == 2)
    #expect(log.pending == 0 && log.abandoned.isEmpty)
    #expect(log.connectionsAccepted == 1)
  }

  @Test("the bytes of a body beyond the kept ones are counted")
  func keptBytes() async throws {
    var options = LoopbackServer.Options()
    options.http2 = LoopbackServer.HTTP2()
    options.keptBodyBytes = 4
    let server = try LoopbackServer(tls: .generated, options: options) {
      .text("\($0.text) of \($0.bodyLength)")
    }
    let body = Data(String(repeating: "abcd", count: 50_000).utf8)
    let events = await (try transport(server)).exchange(request(server, "/", body))
    #expect(String(decoding: events.body, as: UTF8.self) == "abcd of 200000")
  }

  @Test("a request for a WebSocket gets 501")
  func webSocket() async throws {
    let server = try server { _ in .webSocket { _ in } }
    #expect(await (try transport(server)).exchange(request(server)).status == 501)
  }

  @Test("the head of a response may have more than 64 KiB")
  func largeHead() async throws {
    let server = try server { _ in .text("body").header("X-Large", String(repeating: "x", count: 70_000)) }
    let events = await (try transport(server)).exchange(request(server))
    #expect(events.head?.headers.value(for: "X-Large")?.count == 70_000)
    #expect(events.body == Data("body".utf8))
  }

  @Test("a stream that GOAWAY does not serve counts as broken off by the server")
  func goAwayAtOnce() async throws {
    let server = try server { request in
      request.connection == 1 ? .text("unserved").http2(.goAway(last: 0)) : .text("served")
    }
    _ = await (try transport(server)).exchange(request(server))
    try await server.log { $0.brokenOff == 1 && $0.pending == 0 && $0.abandoned.isEmpty }
  }

  @Test("settings that HTTP/2 does not have are limited to those that it has")
  func extremeSettings() async throws {
    let server = try server({ $0.windowSize = .max }) { _ in
      .text("body").http2(.flood(.ping, count: -1), after: 1)
    }
    let events = await (try transport(server)).exchange(request(server, "/", Data(count: 100_000)))
    #expect(events.body == Data("body".utf8))
  }

  @Test("a frame that is not valid ends the connection")
  func invalidFrame() async throws {
    let server = try server { _ in .text("half").http2(.raw([0, 0, 1, 6, 0, 0, 0, 0, 0, 1]), after: 2) }
    #expect(await (try transport(server)).exchange(request(server)).error != nil)
  }

  @Test("a stopped server breaks off its streams")
  func stopped() async throws {
    let server = try server { _ in .never }
    let (_, recorder) = (try transport(server)).record(request(server))
    try await server.log { $0.pending == 1 }
    server.stop()
    #expect(await recorder.waitForEnd().error != nil)
    #expect(server.log.brokenOff == 1)
    #expect(server.log.pending == 0)
  }
}
