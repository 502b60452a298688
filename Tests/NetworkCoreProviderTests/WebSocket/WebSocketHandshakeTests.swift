import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import NetworkWaterfall
import ReactiveNetworkLock
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Handshakes of WebSockets", .timeLimit(.minutes(5)))
struct WebSocketHandshakeTests {
  /// A provider whose hosts `one.test` and `two.test` are a server.
  private func provider(
    _ server: LoopbackServer, plugins: [any PluginType] = [], interceptors: [any RequestInterceptor] = []
  ) throws -> NetworkProvider<LoopbackTarget> {
    var configuration = CurlConfiguration()
    configuration.cookies = .memory
    configuration.names.overrides = ["one.test", "two.test"].map {
      .init(host: $0, port: Int(server.port), addresses: ["127.0.0.1"])
    }
    return NetworkProvider(
      transport: try CurlTransport(configuration: configuration), plugins: plugins,
      interceptors: interceptors)
  }

  private func target(_ server: LoopbackServer, _ path: String = "/socket") throws -> LoopbackTarget {
    LoopbackTarget(try #require(URL(string: "ws://one.test:\(server.port)")), path)
  }

  @Test(
    "a server that answers with two subprotocols or a broken extension is refused",
    arguments: [
      ("Sec-WebSocket-Protocol", "v2"), ("Sec-WebSocket-Protocol", ""),
      ("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits=\"100"),
    ])
  func ambiguous(field: String, value: String) async throws {
    let server = try LoopbackServer { _ in
      .webSocket(subprotocol: "v1") { $0.waitForEnd() }.header(field, value)
    }
    let error = await #expect(throws: NetworkError.self) {
      try await provider(server).webSocket(
        target(server), options: WebSocketOptions(subprotocols: ["v1", "v2"]))
    }
    guard case .underlying(WebSocketError.invalidHandshake, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("a request may offer subprotocols in its own field, which those of the options replace")
  func ownSubprotocols() async throws {
    let server = try LoopbackServer { _ in .webSocket(subprotocol: "v2") { _ in } }
    let offering = try target(server).with { $0.headers = ["Sec-WebSocket-Protocol": "v1, v2"] }
    let socket = try await provider(server).webSocket(offering)
    #expect(socket.subprotocol == "v2")
    let error = await #expect(throws: NetworkError.self) {
      try await provider(server).webSocket(offering, options: WebSocketOptions(subprotocols: ["v1"]))
    }
    guard case .underlying(WebSocketError.invalidHandshake, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(server.log.requests.map { $0.headers["Sec-WebSocket-Protocol"] } == ["v1, v2", "v1"])
  }

  @Test("a subprotocol with a line break is refused, and not left out")
  func brokenSubprotocol() async throws {
    let server = try LoopbackServer { _ in .webSocket { _ in } }
    let error = await #expect(throws: NetworkError.self) {
      try await provider(server).webSocket(
        target(server), options: WebSocketOptions(subprotocols: ["v1\n"]))
    }
    #expect(error?.transferError == .invalidField(name: "Sec-WebSocket-Protocol", value: "v1\n"))
    #expect(server.log.requests.isEmpty)
  }

  @Test("a cookie that comes with a handshake is sent with the next one")
  func cookies() async throws {
    let server = try LoopbackServer { _ in .webSocket { _ in }.header("Set-Cookie", "session=7") }
    let provider = try provider(server)
    for _ in 0..<2 { _ = try await provider.webSocket(target(server)) }
    #expect(server.log.requests.map { $0.headers["Cookie"] } == [nil, "session=7"])
  }

  @Test(
    "a redirect to another host loses the credential and the cookies, one to the same host does not",
    arguments: ["one.test", "two.test"])
  func redirect(host: String) async throws {
    let server = try LoopbackServer { request in
      guard request.path == "/start" else { return .webSocket { _ in } }
      return .redirect(to: "//\(host):\(request.query("port") ?? "")/socket").header(
        "Set-Cookie", "session=7")
    }
    let base = try target(server, "/start")
    let target = base.with {
      $0.task = .requestParameters(
        parameters: ["port": "\(server.port)"], encoding: URLEncoding.queryString)
      $0.headers = ["Authorization": "Bearer secret"]
    }
    let socket = try await provider(server).webSocket(target)
    #expect(socket.response.statusCode == 101)
    let redirected = try #require(server.log.requests.last)
    let isSame = host == "one.test"
    #expect(redirected.path == "/socket")
    #expect(redirected.headers["Authorization"] == (isSame ? "Bearer secret" : nil))
    #expect(redirected.headers["Cookie"] == (isSame ? "session=7" : nil))
  }

  @Test("a handler of redirects may follow the redirect of a handshake")
  func redirectHandler() async throws {
    let server = try LoopbackServer { request in
      guard request.path == "/socket" else { return .redirect(to: "/socket") }
      return .webSocket { socket in
        if let message = socket.receive() { socket.send(message) }
      }
    }
    let session = Session(
      configuration: .ephemeral, redirectHandler: Redirector.modify { _, request, _ in request })
    let provider = NetworkProvider<LoopbackTarget>(session: session)
    let socket = try await provider.webSocket(LoopbackTarget(server, "/start"))
    try await socket.send(.text("hello"))
    var messages = socket.makeAsyncIterator()
    #expect(try await messages.next() == .text("hello"))
    #expect(server.log.requests.map(\.path) == ["/start", "/socket"])
  }

  @Test("a 401 refreshes the token, and the handshake is repeated with the new one")
  func refreshed() async throws {
    let server = try LoopbackServer { request in
      guard request.headers["Authorization"] == "Bearer new" else { return .text("expired", status: 401) }
      return .webSocket { socket in socket.send(.text("welcome")) }
    }
    let interceptor = AuthenticationInterceptor(
      authenticator: ImmediateAuthenticator(), credential: ImmediateAuthenticator.Token(value: "old"))
    let socket = try await provider(server, interceptors: [interceptor]).webSocket(target(server))
    var messages = socket.makeAsyncIterator()
    #expect(try await messages.next() == .text("welcome"))
    #expect(server.log.requests.map { $0.headers["Authorization"] } == ["Bearer old", "Bearer new"])
  }

  @Test("an open WebSocket is a request in flight and an open connection; its end is recorded with its bytes")
  func observed() async throws {
    let server = try LoopbackServer { _ in
      .webSocket { socket in
        while let message = socket.receive() { socket.send(message) }
      }
    }
    let (records, report) = AsyncStream.makeStream(of: RequestRecord.self)
    let waterfall = WaterfallPlugin()
    let provider = try provider(server, plugins: [RequestRecordPlugin { report.yield($0) }, waterfall])
    let socket = try await provider.webSocket(target(server))
    var messages = socket.makeAsyncIterator()
    try await socket.send(.text("hello"))
    #expect(try await messages.next() == .text("hello"))
    let gauges = try #require(provider.transport.gauges)
    #expect(gauges.requestsInFlight == 1)
    #expect(gauges.connections["http://one.test:\(server.port)"] == .init(open: 1))
    #expect(gauges.bodyBytesSent > 0)
    #expect(waterfall.records.map(\.hasEnded) == [false])
    socket.close()
    #expect(try await messages.next() == nil)
    let record = try #require(await records.first { _ in true })
    #expect(record.outcome?.statusCode == 101)
    #expect(record.bodyBytesReceived > 0)
    #expect(record.spans.contains { $0.phase == .receive })
    await suspendUntil { provider.transport.gauges?.requestsInFlight == 0 }
    #expect(waterfall.records.map(\.hasEnded) == [true])
  }

  @Test("a target's own time limit ends a silent connection, in place of the pings")
  func idleTimeout() async throws {
    let server = try LoopbackServer { _ in .webSocket { $0.waitForEnd() } }
    let socket = try await provider(server).webSocket(
      target(server).with { $0.timeout = .seconds(1) }, options: WebSocketOptions(pingInterval: .zero))
    var messages = socket.makeAsyncIterator()
    let error = await #expect(throws: NetworkError.self) { try await messages.next() }
    #expect(error?.transferError == .timedOut(.idle, after: .seconds(1)))
    try await server.log { $0.openConnections == 0 }
  }

  /// Records the time limits of the requests.
  private struct LimitRecorder: TransportLayer {
    let wrapped: any Transport
    let limits = Log()

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      limits("\(request.idleTimeout / .seconds(1))")
      return wrapped.start(request, handler: handler)
    }
  }

  private struct TimeoutPlugin: PluginType {
    func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
      var request = request
      request.timeoutInterval = 9
      return request
    }
  }

  @Test("the pings take the place of a session's time limit, but not of one of the target or a plugin")
  func sessionTimeout() async throws {
    let server = try LoopbackServer { _ in .webSocket { _ in } }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 20
    let recorder = LimitRecorder(wrapped: Session(configuration: configuration))
    for (timeout, plugins) in [(nil, []), (.seconds(20), []), (.seconds(7), []), (nil, [TimeoutPlugin()])]
      as [(Duration?, [any PluginType])]
    {
      let provider = NetworkProvider<LoopbackTarget>(transport: recorder, plugins: plugins)
      _ = try await provider.webSocket(LoopbackTarget(server).with { $0.timeout = timeout })
    }
    let provider = NetworkProvider<LoopbackTarget>(transport: recorder)
    _ = try await provider.webSocket(LoopbackTarget(server), options: WebSocketOptions(pingInterval: .zero))
    #expect(recorder.limits.all == ["0.0", "20.0", "7.0", "9.0", "20.0"])
  }
}
