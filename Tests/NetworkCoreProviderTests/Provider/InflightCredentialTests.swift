import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

@Suite("Shared transfers and the credentials that a transport adds", .timeLimit(.minutes(5)))
struct InflightCredentialTests {
  /// The user who is signed in.
  private final class User: Sendable {
    private let name = Lock("ann")

    var token: String { name.withLock { "Bearer \($0)" } }

    func signIn(_ other: String) { name.withLock { $0 = other } }
  }

  /// A layer that adds the token, and states nothing.
  private struct TokenLayer: TransportLayer {
    let wrapped: any Transport
    let user: User

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      var request = request
      request.headers.update(name: "Authorization", value: user.token)
      return wrapped.start(request, handler: handler)
    }
  }

  /// A layer whose token is one of its default fields.
  private struct FieldLayer: TransportLayer {
    let wrapped: any Transport
    let user: User

    var defaultHeaders: HTTPHeaders { ["Authorization": user.token] }

    func addedCredentials(to request: TransportRequest) -> AddedCredentials {
      wrapped.addedCredentials(to: request)
    }

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      var request = request
      for field in defaultHeaders where request.headers[field.name] == nil { request.headers.add(field) }
      return wrapped.start(request, handler: handler)
    }
  }

  private final class TokenSession: Session, @unchecked Sendable {
    private let user: User

    init(_ transport: any Transport, _ user: User) {
      self.user = user
      super.init(transport: transport)
    }

    override func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      TokenLayer(wrapped: transport, user: user).start(request, handler: handler)
    }
  }

  private enum Source: CaseIterable {
    case layer, field, session

    func transport(over wire: any Transport, _ user: User) -> any Transport {
      switch self {
      case .layer: TokenLayer(wrapped: wire, user: user)
      case .field: FieldLayer(wrapped: wire, user: user)
      case .session: TokenSession(wire, user)
      }
    }
  }

  private let wire = ScriptedTransport()
  private let target = LoopbackTarget(URL(staticString: "http://h"))

  @Test("no request joins a transfer with another user's token", arguments: Source.allCases)
  private func tokens(source: Source) {
    let (user, log) = (User(), Log())
    let provider = NetworkProvider<LoopbackTarget>(
      transport: source.transport(over: wire, user), trackInflights: true)
    for name in ["ann", "bob"] {
      user.signIn(name)
      provider.request(target) { log("\(name) \((try? $0.get().mapString()) ?? "failed")") }
    }
    for transfer in wire.transfers { transfer.respond(200, transfer.request.headers["Authorization"] ?? "") }
    #expect(log.all == ["ann Bearer ann", "bob Bearer bob"])
  }

  @Test("requests with equal default fields share a transfer, which sends the compared fields")
  func fields() {
    let user = User()
    let provider = NetworkProvider<LoopbackTarget>(
      transport: FieldLayer(wrapped: wire, user: user), trackInflights: true)
    for _ in 0..<2 { provider.request(target) { _ in } }
    #expect(wire.transfers.map { $0.request.headers["Authorization"] } == ["Bearer ann"])
    wire.finish()
  }

  @Test("no request joins a transfer whose redirects a handler may change")
  func redirects() {
    let session = Session(transport: wire, redirectHandler: .modify { _, request, _ in request })
    let provider = NetworkProvider<LoopbackTarget>(session: session, trackInflights: true)
    for _ in 0..<2 { provider.request(target) { _ in } }
    #expect(wire.transfers.count == 2)
    wire.finish()
  }

  @Test("stubs are shared over a transport that states nothing, and transfers are not")
  func stubs() {
    struct Silent: Transport {
      let wire: ScriptedTransport

      func start(
        _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
      ) -> any Cancellable { wire.start(request, handler: handler) }
    }
    let (time, outcome) = (ManualDelayScheduler(), CompletionRecorder())
    let samples = Lock(0)
    for (stub, transfers) in [(StubBehavior.delayed(seconds: 1), 0), (.never, 2)] {
      let provider = NetworkProvider<LoopbackTarget>(
        endpointClosure: { _ in
          Endpoint(
            url: "http://h",
            sampleResponseClosure: {
              samples.withLock { $0 += 1 }
              return .networkResponse(200, Data())
            }, method: .get, task: .requestPlain, httpHeaderFields: nil)
        }, stubClosure: { _ in stub }, transport: Silent(wire: wire), trackInflights: true, scheduler: time)
      for _ in 0..<2 { provider.request(target, completion: outcome.completion) }
      time.advance(by: .seconds(1))
      #expect(wire.transfers.count == transfers)
    }
    #expect(samples.withLock { $0 } == 1)
    wire.transfers.forEach { $0.respond() }
    #expect(outcome.summaries == ["200", "200", "200", "200"])
  }

  @Test("a request does not join a transfer that was sent without the cookie of a login")
  func cookies() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { request in
      request.path == "/login"
        ? .text("ok").header("Set-Cookie", "sid=bob; Path=/")
        : .text(request.headers["Cookie"] ?? "none").held(until: gate)
    }
    var configuration = CurlConfiguration()
    configuration.cookies = .memory
    let provider = NetworkProvider<LoopbackTarget>(
      transport: try CurlTransport(configuration: configuration), trackInflights: true)
    let (bodies, body) = AsyncStream.makeStream(of: String.self)
    let completion: Completion = { body.yield((try? $0.get().mapString()) ?? "failed") }
    provider.request(LoopbackTarget(server, "/me"), completion: completion)
    try await server.log { $0.requestCount == 1 }
    _ = try await provider.result(LoopbackTarget(server, "/login").with { $0.method = .post }).get()
    provider.request(LoopbackTarget(server, "/me"), completion: completion)
    gate.open()
    var seen: Set<String> = []
    for await text in bodies.prefix(2) { seen.insert(text) }
    #expect(seen == ["none", "sid=bob"])
  }
}
