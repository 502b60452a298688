import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

@Suite("Requests that a server refuses over HTTP/2", .timeLimit(.minutes(5)))
struct HTTP2RefusalTests {
  private typealias Reply = LoopbackServer.Reply

  /// Starts a server whose handler receives how many requests with the same body have arrived, this one
  /// included.
  ///
  /// It leaves closing a connection after GOAWAY to the client, and never says `close_notify`.
  private func server(
    closesAfterGoAway: Bool = false,
    _ reply: @escaping @Sendable (LoopbackServer.Request, Int) -> LoopbackServer.Reply
  ) throws -> LoopbackServer {
    var options = LoopbackServer.Options()
    options.http2 = .init()
    options.http2?.closesAfterGoAway = closesAfterGoAway
    var tls = LoopbackServer.TLS.generated
    tls.sendsCloseNotify = false
    let counts = Lock([String: Int]())
    return try LoopbackServer(tls: tls, options: options) { request in
      let count = counts.withLock { counts in
        counts[request.text, default: 0] += 1
        return counts[request.text, default: 0]
      }
      return reply(request, count)
    }
  }

  private func transport(
    _ server: LoopbackServer, _ change: (inout CurlConfiguration) -> Void = { _ in }
  ) throws -> CurlTransport {
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority)
    change(&configuration)
    return try CurlTransport(configuration: configuration)
  }

  /// Starts a request whose body can be recognised in the server's log.
  private func start(
    _ method: HTTPMethod, _ body: String, at server: LoopbackServer, _ transport: CurlTransport
  ) -> TransferRecorder {
    transport.record(.init(method: method, url: server.origin, body: .data(Data(body.utf8)))).recorder
  }

  /// Uses the connection once, so that the next request reuses it, with stream 3.
  private func warmUpConnection(_ server: LoopbackServer, _ transport: CurlTransport) async {
    let first = await start(.post, "used before", at: server, transport).waitForEnd()
    #expect(first.body == Data("done".utf8))
  }

  /// Returns the streams of the requests with a body, as `connection/stream`, in the order of arrival.
  private func streams(_ body: String, _ server: LoopbackServer) -> [String] {
    server.log.requests.filter { $0.text == body }.map { "\($0.connection)/\($0.stream ?? 0)" }
  }

  private func expectDone(_ events: TransferRecorder.Events) {
    #expect(events.error == nil)
    #expect(events.heads == 1)
    #expect(events.body == Data("done".utf8))
  }

  private func expectConnectionLost(_ events: TransferRecorder.Events) {
    guard case .connectionLost? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
    #expect(events.heads == 0)
  }

  @Test(
    "a request whose stream was refused was not processed, and is sent again, whatever its method",
    arguments: [HTTPMethod.post, .put], [false, true])
  func refused(method: HTTPMethod, isKept: Bool) async throws {
    let server = try server { request, count in
      request.text == "to be refused" && count == 1 ? .streamReset(code: 7) : .text("done")
    }
    let transport = try transport(server)
    if isKept { await warmUpConnection(server, transport) }
    expectDone(await start(method, "to be refused", at: server, transport).waitForEnd())
    let streams = streams("to be refused", server)
    #expect(streams.count == 2)
    #expect(streams.first == (isKept ? "1/3" : "1/1"))
  }

  @Test(
    "a request excluded by GOAWAY is sent again, whatever its method, and whether or not the server closes",
    arguments: [HTTPMethod.post, .put], [(false, false), (false, true), (true, false), (true, true)])
  func left(method: HTTPMethod, connection: (isKept: Bool, closes: Bool)) async throws {
    let last: Int32 = connection.isKept ? 1 : 0
    let server = try server(closesAfterGoAway: connection.closes) { request, count in
      request.text == "to be left" && count == 1
        ? .status(500).http2(.goAway(last: last), before: .head) : .text("done")
    }
    let transport = try transport(server)
    if connection.isKept { await warmUpConnection(server, transport) }
    expectDone(await start(method, "to be left", at: server, transport).waitForEnd())
    #expect(streams("to be left", server) == [connection.isKept ? "1/3" : "1/1", "2/1"])
  }

  @Test(
    "all requests excluded by GOAWAY are sent again, and none that may have been processed",
    arguments: [HTTPMethod.post, .put], [false, true])
  func leftTogether(method: HTTPMethod, isKept: Bool) async throws {
    let last = isKept ? 3 : 2
    let server = try server { request, count in
      guard request.text != "used before", count == 1 else { return .text("done") }
      return request.indexOnConnection == last
        ? .status(500).http2(.goAway(last: isKept ? 1 : 0), before: .head) : .never
    }
    // All requests must be on the connection that the server leaves.
    let transport = try transport(server) { $0.connections.limitPerHost = 1 }
    if isKept { await warmUpConnection(server, transport) }
    let recorders = (0..<3).map { start(method, "to be left \($0)", at: server, transport) }
    for recorder in recorders { expectDone(await recorder.waitForEnd()) }
    for index in 0..<3 {
      #expect(streams("to be left \(index)", server).map(\.first) == ["1", "2"])
    }
  }

  @Test("a request excluded by GOAWAY is sent again before those that wait for a stream")
  func leftBeforeOthers() async throws {
    let gate = LoopbackServer.Gate()
    let server = try server { request, count in
      request.text == "to be left" && count == 1
        ? .status(500).held(until: gate).http2(.goAway(last: 1), before: .head) : .text("done")
    }
    let transport = try transport(server) { $0.connections.limitPerHost = 1 }
    await warmUpConnection(server, transport)
    let excluded = start(.post, "to be left", at: server, transport)
    try await server.log(until: { $0.requestCount == 2 })
    let waiting = start(.post, "to be second", at: server, transport)
    // Reported after the transport has accepted the request.
    _ = transport.gauges
    gate.open()
    expectDone(await excluded.waitForEnd())
    expectDone(await waiting.waitForEnd())
    let bodies = server.log.requests.map(\.text)
    #expect(bodies == ["used before", "to be left", "to be left", "to be second"])
  }

  @Test("GOAWAYs before a redirect do not count towards the limit after it")
  func leftAroundRedirect() async throws {
    let server = try server { request, count in
      switch count {
      case 4: .redirect(to: "/next", status: 307)
      case 1...7:
        .status(500).http2(.goAway(last: Int32((request.stream ?? 1) - 1)), before: .head)
      default: .text("done")
      }
    }
    expectDone(await start(.post, "to be left", at: server, try transport(server)).waitForEnd())
    #expect(
      streams("to be left", server) == ["1/1", "2/1", "3/1", "4/1", "4/3", "5/1", "6/1", "7/1"])
  }

  @Test("a request that was reset before GOAWAY may have been processed, and is not sent again")
  func resetBeforeDeparture() async throws {
    // RST_STREAM with CANCEL.
    let reset: [UInt8] = [0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 8]
    let server = try server { _, _ in
      .text("unsent").http2(.raw(reset), before: .head).http2(.goAway(last: 1), before: .head)
        .held(until: .init())
    }
    expectConnectionLost(await start(.post, "to be reset", at: server, try transport(server)).waitForEnd())
    #expect(server.log.requestCount == 1)
  }

  @Test("a request whose server violates HTTP/2 may have been processed, and is not sent again")
  func broken() async throws {
    // The head and the body of a response on stream 0.
    let frames: [UInt8] =
      [0, 0, 1, 1, 4, 0, 0, 0, 0, 0x88] + [0, 0, 12, 0, 1, 0, 0, 0, 0] + "of no stream".utf8
    let server = try server { _, _ in .raw(frames, closing: false) }
    // Some versions (8.12) do not notice that the connection is no longer usable, and wait.
    let request = TransportRequest(
      method: .post, url: server.origin, body: .data(Data("to be broken off".utf8)),
      idleTimeout: .seconds(TestTimeouts.longestWait / 2))
    let events = await (try transport(server)).exchange(request)
    #expect(events.error != nil)
    #expect(events.heads == 0)
    #expect(server.log.requestCount == 1)
  }

  @Test(
    "when a reused connection closes or breaks, only idempotent requests are sent again",
    arguments: [HTTPMethod.post, .put], [true, false])
  func brokenLater(method: HTTPMethod, isSaid: Bool) async throws {
    let server = try server { request, count in
      guard request.text == "to be lost", count == 1 else { return .text("done") }
      // With this last stream, the server may have processed the request.
      return isSaid ? .close.http2(.goAway(last: 3), before: .head) : .close
    }
    let transport = try transport(server)
    await warmUpConnection(server, transport)
    let events = await start(method, "to be lost", at: server, transport).waitForEnd()
    if method == .put { expectDone(events) } else { expectConnectionLost(events) }
    #expect(streams("to be lost", server) == (method == .put ? ["1/3", "2/1"] : ["1/3"]))
  }

  @Test("a refusal after a response's head does not cause a later request to be sent twice")
  func refusedAfterHead() async throws {
    let (mayRefuse, mayClose) = (LoopbackServer.Gate(), LoopbackServer.Gate())
    let server = try server { request, _ in
      switch request.text {
      case "begun":
        .text("first, and the rest").bodyHeld(until: mayRefuse, after: 5).http2(.reset(code: 7), after: 5)
      case "beside it": .close.held(until: mayClose)
      default: .close
      }
    }
    let transport = try transport(server)
    let refused = start(.post, "begun", at: server, transport)
    await refused.waitUntil { $0.body == Data("first".utf8) }
    // Closes the connection once the other request has been refused.
    let beside = start(.post, "beside it", at: server, transport)
    try await server.log(until: { $0.requestCount == 2 })
    mayRefuse.open()
    let events = await refused.waitForEnd()
    #expect(events.error != nil)
    #expect(events.body == Data("first".utf8))
    mayClose.open()
    expectConnectionLost(await beside.waitForEnd())
    expectConnectionLost(await start(.post, "to be lost", at: server, transport).waitForEnd())
    #expect(server.log.requests.map(\.connection) == [1, 1, 2])
  }

  @Test(
    "a request that is repeatedly refused or excluded by GOAWAY eventually fails",
    arguments: [HTTPMethod.post, .put], [false, true])
  func always(method: HTTPMethod, isExcluded: Bool) async throws {
    let server = try server { request, _ in
      isExcluded
        ? .status(500).http2(.goAway(last: Int32((request.stream ?? 1) - 1)), before: .head)
        : .streamReset(code: 7)
    }
    expectConnectionLost(await start(method, "over and over", at: server, try transport(server)).waitForEnd())
    #expect((2...6).contains(server.log.requestCount))
  }

  @Test("a request whose stream is reset with another code is not sent again, whatever its method")
  func reset() async throws {
    let server = try server { _, _ in .streamReset(code: 2) }
    let transport = try transport(server)
    for method in [HTTPMethod.post, .put] {
      expectConnectionLost(await start(method, "reset", at: server, transport).waitForEnd())
    }
    #expect(streams("reset", server) == ["1/1", "1/3"])
  }

  @Test("many concurrent requests all get a response from a server that closes connections after some")
  func limited() async throws {
    let server = try server(closesAfterGoAway: true) { request, _ in
      request.indexOnConnection == 59 ? .text("done").http2(.goAway()) : .text("done")
    }
    let transport = try transport(server)
    for _ in 0..<5 {
      let started = (0..<100).map { _ in transport.record(.init(url: server.origin)) }
      for item in started { expectDone(await item.recorder.waitForEnd()) }
    }
    #expect(server.log.requestCount == 500)
    #expect(server.log.connectionsAccepted >= 500 / 60)
  }

  @Test("a response cut off by HTTP_1_1_REQUIRED is not continued with another response")
  func otherVersion() async throws {
    let gate = LoopbackServer.Gate()
    let http1Required: UInt32 = 13
    let server = try server { request, _ in
      guard request.stream != nil else { return .text("of HTTP/1.1") }
      return .text("first, and the rest").bodyHeld(until: gate, after: 5)
        .http2(.reset(code: http1Required), after: 5)
    }
    let recorder = start(.put, "begun", at: server, try transport(server))
    await recorder.waitUntil { $0.body == Data("first".utf8) }
    gate.open()
    let events = await recorder.waitForEnd()
    guard case .connectionLost? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
    #expect(events.body == Data("first".utf8))
    #expect(server.log.requests.compactMap(\.stream) == [1])
    #expect(server.log.requestCount == 1)
  }
}
