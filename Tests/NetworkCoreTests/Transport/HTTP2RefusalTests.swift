import Foundation
import LoopbackServer
import NetworkCore
import Testing

@Suite(
  "Requests that a server refuses over HTTP/2",
  .enabled(if: InstalledProgram.canServeTLS, Comment(rawValue: InstalledProgram.skipReason)),
  .timeLimit(.minutes(5)))
struct HTTP2RefusalTests {
  private let authority: CertificateAuthority
  private let server: OpenSSLServer
  private let transport: CurlTransport

  init() throws {
    authority = try CertificateAuthority()
    server = try OpenSSLServer(authority.issue(), version: "h2")
    transport = try Self.transport(trusting: authority)
  }

  private static func transport(
    trusting authority: CertificateAuthority, _ change: (inout CurlConfiguration) -> Void = { _ in }
  ) throws -> CurlTransport {
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(authority.root.pem)
    change(&configuration)
    return try CurlTransport(configuration: configuration)
  }

  /// Starts a request whose body can be recognised in the data that the server receives.
  private func start(_ method: HTTPMethod, _ body: String, on other: CurlTransport? = nil) -> TransferRecorder
  {
    let request = TransportRequest(method: method, url: server.origin, body: .data(Data(body.utf8)))
    return (other ?? transport).record(request).recorder
  }

  /// Uses the connection once, so that the next request reuses it, with stream 3.
  private func warmUpConnection(_ other: CurlTransport? = nil) async throws {
    let first = start(.post, "used before", on: other)
    try server.waitToReceive("used before")
    server.send(.settings, .response(stream: 1, "ok"))
    #expect(await first.waitForEnd().body == Data("ok".utf8))
  }

  @Test(
    "a request whose stream was refused on a new connection was not processed, and is sent again",
    arguments: [HTTPMethod.post, .put])
  func refused(method: HTTPMethod) async throws {
    let recorder = start(method, "to be refused")
    try server.waitToReceive("to be refused")
    server.send(.settings, .reset(stream: 1, code: 7))
    try server.waitToReceive("to be refused", times: 2)
    server.send(.settings, .response(stream: 1, "done"))
    let events = await recorder.waitForEnd()
    #expect(events.error == nil)
    #expect(events.heads == 1)
    #expect(events.body == Data("done".utf8))
    #expect(server.count("to be refused") == 2)
  }

  @Test(
    "a request whose stream was refused on a reused connection is sent again, whatever its method",
    arguments: [HTTPMethod.post, .put])
  func refusedLater(method: HTTPMethod) async throws {
    try await warmUpConnection()
    let recorder = start(method, "to be refused")
    try server.waitToReceive("to be refused")
    server.send(.reset(stream: 3, code: 7))
    try await expectRetry("to be refused", recorder)
  }

  @Test(
    "a request excluded by GOAWAY is sent again, whatever its method",
    arguments: [HTTPMethod.post, .put], [false, true])
  func left(method: HTTPMethod, isKept: Bool) async throws {
    if isKept { try await warmUpConnection() }
    let recorder = start(method, "to be left")
    try server.waitToReceive("to be left")
    server.send(isKept ? [.goAway(last: 1)] : [.settings, .goAway(last: 0)])
    try await expectRetry("to be left", recorder)
  }

  @Test(
    "all requests excluded by GOAWAY are sent again, and none that may have been processed",
    arguments: [HTTPMethod.post, .put], [false, true])
  func leftTogether(method: HTTPMethod, isKept: Bool) async throws {
    // The server handles one connection after another.
    let transport = try Self.transport(trusting: authority) { $0.connections.limitPerHost = 1 }
    if isKept { try await warmUpConnection(transport) }
    let recorders = (0..<3).map { start(method, "to be left \($0)", on: transport) }
    for index in 0..<3 { try server.waitToReceive("to be left \(index)") }
    server.send(isKept ? [.goAway(last: 1)] : [.settings, .goAway(last: 0)])
    for index in 0..<3 { try server.waitToReceive("to be left \(index)", times: 2) }
    server.send([.settings] + [1, 3, 5].map { .response(stream: $0, "done") })
    for (index, recorder) in recorders.enumerated() {
      let events = await recorder.waitForEnd()
      #expect(events.error == nil)
      #expect(events.body == Data("done".utf8))
      #expect(server.count("to be left \(index)") == 2)
    }
  }

  @Test("a request excluded by GOAWAY is sent again before those that wait for a stream")
  func leftBeforeOthers() async throws {
    let transport = try Self.transport(trusting: authority) { $0.connections.limitPerHost = 1 }
    try await warmUpConnection(transport)
    let excluded = start(.post, "to be left", on: transport)
    try server.waitToReceive("to be left")
    let waiting = start(.post, "to be second", on: transport)
    // Reported after the transport has accepted the request.
    _ = transport.gauges
    server.send(.goAway(last: 1))
    try server.waitToReceive("to be left", times: 2)
    server.send(.settings, .response(stream: 1, "first"))
    #expect(await excluded.waitForEnd().body == Data("first".utf8))
    try server.waitToReceive("to be second", after: "to be left")
    server.send(.response(stream: 3, "second"))
    #expect(await waiting.waitForEnd().body == Data("second".utf8))
  }

  @Test("GOAWAYs before a redirect do not count towards the limit after it")
  func leftAroundRedirect() async throws {
    let recorder = start(.post, "to be left")
    for time in 1...3 {
      try server.waitToReceive("to be left", times: time)
      server.send(.settings, .goAway(last: 0))
    }
    try server.waitToReceive("to be left", times: 4)
    server.send(.settings, .redirect(stream: 1, to: "/next"))
    try server.waitToReceive("to be left", times: 5)
    server.send(.goAway(last: 1))
    for time in 6...7 {
      try server.waitToReceive("to be left", times: time) { recorder.events.isOver }
      // Without a client, this output would go to the next one.
      if recorder.events.isOver { break }
      server.send(.settings, .goAway(last: 0))
    }
    try server.waitToReceive("to be left", times: 8) { recorder.events.isOver }
    if !recorder.events.isOver { server.send(.settings, .response(stream: 1, "done")) }
    let events = await recorder.waitForEnd()
    #expect(events.error == nil)
    #expect(events.body == Data("done".utf8))
  }

  @Test("a request that was reset before GOAWAY may have been processed, and is not sent again")
  func resetBeforeDeparture() async throws {
    let recorder = start(.post, "to be reset")
    try server.waitToReceive("to be reset")
    // CANCEL.
    server.send(.settings, .reset(stream: 1, code: 8), .goAway(last: 1))
    expectConnectionLost(await recorder.waitForEnd())
    #expect(server.count("to be reset") == 1)
  }

  @Test("a request whose server violates HTTP/2 may have been processed, and is not sent again")
  func broken() async throws {
    let request = TransportRequest(
      method: .post, url: server.origin, body: .data(Data("to be broken off".utf8)),
      idleTimeout: TestTimeouts.longestWait / 2)
    let recorder = transport.record(request).recorder
    try server.waitToReceive("to be broken off")
    server.send(.settings, .response(stream: 0, "of no stream"))
    // Some versions (8.12) do not notice that the connection is no longer usable, and wait.
    #expect(await recorder.waitForEnd().error != nil)
    #expect(server.count("to be broken off") == 1)
  }

  @Test(
    "when a reused connection closes or breaks, only idempotent requests are sent again",
    arguments: [HTTPMethod.post, .put], [true, false])
  func brokenLater(method: HTTPMethod, isSaid: Bool) async throws {
    let first = try OpenSSLServer(authority.issue(), version: "h2")
    let forwarder = try ForwardingProxy(to: first.port, then: server.port)
    func start(_ method: HTTPMethod, _ body: String) -> TransferRecorder {
      let request = TransportRequest(
        method: method, url: "https://127.0.0.1:\(forwarder.port)", body: .data(Data(body.utf8)))
      return transport.record(request).recorder
    }
    let before = start(.put, "used before")
    try first.waitToReceive("used before")
    first.send(.settings, .response(stream: 1, "ok"))
    #expect(await before.waitForEnd().error == nil)
    let recorder = start(method, "to be lost")
    try first.waitToReceive("to be lost")
    // With this last stream, the server may have processed the request.
    if isSaid { first.send(.goAway(last: 3)) }
    first.closeWithoutCloseNotify()
    if method == .put {
      try server.waitToReceive("to be lost")
      server.send(.settings, .response(stream: 1, "done"))
    }
    let events = await recorder.waitForEnd()
    if method == .put { #expect(events.body == Data("done".utf8)) } else { expectConnectionLost(events) }
    #expect(server.count("to be lost") == (method == .put ? 1 : 0))
  }

  @Test("a refusal after a response's head does not cause a later request to be sent twice")
  func refusedAfterHead() async throws {
    let first = try OpenSSLServer(authority.issue(), version: "h2")
    let forwarder = try ForwardingProxy(to: first.port, then: server.port)
    func start(_ body: String) -> TransferRecorder {
      let url = "https://127.0.0.1:\(forwarder.port)"
      return transport.record(.init(method: .post, url: url, body: .data(Data(body.utf8)))).recorder
    }
    let refused = start("begun")
    try first.waitToReceive("begun")
    first.send(.settings, .response(stream: 1, "first", isWhole: false))
    _ = await refused.waitUntil { $0.body == Data("first".utf8) }
    first.send(.reset(stream: 1, code: 7))
    #expect(await refused.waitForEnd().error != nil)
    first.closeWithoutCloseNotify()
    let lost = start("to be lost")
    try server.waitToReceive("to be lost")
    server.closeWithoutCloseNotify()
    expectConnectionLost(await lost.waitForEnd())
    #expect(server.count("to be lost") == 1)
  }

  @Test(
    "a request that is repeatedly refused or excluded by GOAWAY eventually fails",
    arguments: [HTTPMethod.post, .put])
  func always(method: HTTPMethod) async throws {
    for refusal in [HTTP2Frame.goAway(last: 0), .reset(stream: 1, code: 7)] {
      let before = server.count("over and over")
      let recorder = start(method, "over and over")
      let refusing = Task.detached { [server] in
        for time in 1...7 {
          try server.waitToReceive("over and over", times: before + time) { recorder.events.isOver }
          // Without a client, this output would go to the next one.
          if recorder.events.isOver { return }
          server.send(.settings, refusal)
        }
      }
      expectConnectionLost(await recorder.waitForEnd())
      try await refusing.value
      #expect((before + 2...before + 6).contains(server.count("over and over")))
    }
  }

  @Test("a request whose stream is reset with another code is not sent again, whatever its method")
  func reset() async throws {
    for method in [HTTPMethod.post, .put] {
      let recorder = start(method, "reset")
      try server.waitToReceive("reset", times: method == .post ? 1 : 2)
      server.send(method == .post ? [.settings, .reset(stream: 1, code: 2)] : [.reset(stream: 3, code: 2)])
      expectConnectionLost(await recorder.waitForEnd())
    }
    #expect(server.count("reset") == 2)
  }

  @Test("many concurrent requests all get a response from a server that closes connections after some")
  func limited() async throws {
    let directives = "keepalive_requests 60; location / { return 200 ok; }"
    let nginx = try Nginx(.init(identity: try authority.issue(), directives: directives))
    for _ in 0..<5 {
      let started = (0..<100).map { _ in transport.record(.init(url: nginx.origin())) }
      for item in started {
        let error = await item.recorder.waitForEnd().error
        #expect(error == nil)
      }
    }
  }

  @Test(
    "a response that ends before the body has been sent ends the transfer once the body has been sent",
    arguments: [1, 3])
  func early(count: UInt8) async throws {
    let body = "begin" + String(repeating: "x", count: 70_000 / Int(count))
    let recorders = (0..<count).map { _ in start(.post, body) }
    try server.waitToReceive("begin", times: Int(count))
    let streams = (0..<count).map { 2 * $0 + 1 }
    server.send([.settings] + streams.map { .response(stream: $0, "done") })
    for recorder in recorders { _ = await recorder.waitUntil { $0.heads == 1 } }
    server.send([.window(stream: 0)] + streams.map { .window(stream: $0) })
    for recorder in recorders {
      let events = await recorder.waitForEnd()
      #expect(events.error == nil)
      #expect(events.body == Data("done".utf8))
    }
  }

  @Test("a response cut off by HTTP_1_1_REQUIRED is not continued with another response")
  func otherVersion() async throws {
    let other = try OpenSSLServer(authority.issue(), version: "http/1.1")
    let forwarder = try ForwardingProxy(to: server.port, then: other.port)
    let request = TransportRequest(
      method: .put, url: "https://127.0.0.1:\(forwarder.port)", body: .data(Data("begun".utf8)))
    let recorder = transport.record(request).recorder
    try server.waitToReceive("begun")
    server.send(.settings, .response(stream: 1, "first", isWhole: false))
    _ = await recorder.waitUntil { $0.body == Data("first".utf8) }
    // HTTP_1_1_REQUIRED.
    server.send(.reset(stream: 1, code: 13))
    let events = await recorder.waitForEnd()
    guard case .connectionLost? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
    #expect(events.body == Data("first".utf8))
    #expect(other.count("PUT") == 0)
  }

  /// Responds to the request that is sent again.
  private func expectRetry(_ text: String, _ recorder: TransferRecorder) async throws {
    try server.waitToReceive(text, times: 2)
    server.send(.settings, .response(stream: 1, "done"))
    let events = await recorder.waitForEnd()
    #expect(events.error == nil)
    #expect(events.body == Data("done".utf8))
    #expect(server.count(text) == 2)
  }

  private func expectConnectionLost(_ events: TransferRecorder.Events) {
    guard case .connectionLost? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
    #expect(events.heads == 0)
  }
}
