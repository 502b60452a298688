import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Policies per origin", .timeLimit(.minutes(5)))
struct PerOriginTests {
  private let time = ManualDelayScheduler()

  private func breakers() -> PerOrigin<CircuitBreaker> {
    PerOrigin { [time] in CircuitBreaker(opensAt: .consecutiveFailures(1), scheduler: time) }
  }

  private func start(_ url: String, over transport: any Transport) -> any Cancellable {
    transport.start(TransportRequest(url: url)) { _ in }
  }

  @Test(
    "a policy belongs to a scheme, host and port",
    arguments: [
      ("http://a/one", "http://a/two?x", true), ("http://a/", "HTTP://user:word@A:80", true),
      ("http://a/", "http://b/", false), ("http://a/", "https://a/", false),
      ("http://a/", "http://a:81/", false), ("", "ftp://a/", true),
      ("https://a/", "https://a:443/", true), ("https://a/", "https://a:/", true),
      ("http://[::1]/", "http://[::1]:80/x", true), ("http://[::1]/", "http://[::2]/", false),
      ("http://[::1]:81/", "http://[::1]/", false), ("http://a/", "http://a./", false),
      ("http+unix://%2Fa.sock/one", "http+unix://%2Fa.sock/two", true),
      ("http+unix://%2Fa.sock/", "http+unix://%2FA.sock/", false),
      ("http+unix://%2Fa.sock/", "http://%2Fa.sock/", false),
      ("https://a/", "wss://a/x", true), ("ws://a/", "ws://b/", false), ("wss://a/", "https://a:443", true),
      ("https://a/", "WSS://a/x", true),
    ])
  func keys(one: String, other: String, isSame: Bool) {
    let breakers = breakers()
    #expect((breakers[one] === breakers[other]) == isSame)
    #expect(breakers.count == (isSame ? 1 : 2))
  }

  @Test("the breaker of an origin that fails refuses no request to another")
  func breaker() {
    let (wire, breakers) = (ScriptedTransport(defaultHeaders: ["Name": "value"]), breakers())
    let transport = wire.perOrigin(breakers) { $0.circuitBreaker($1) }
    #expect(transport.defaultHeaders == ["Name": "value"])
    _ = start("http://a/", over: transport)
    wire.transfers[0].respond(503)
    _ = start("http://a/other", over: transport)
    _ = start("http://b/", over: transport)
    #expect(wire.transfers.map(\.request.url) == ["http://a/", "http://b/"])
    #expect(breakers["http://a"].state == .open)
    #expect(breakers["http://a"].refusalCount == 1)
    wire.transfers.last?.respond()
    #expect(breakers["http://b"].state == .closed)
  }

  /// A layer that adds a token to every request.
  private struct TokenLayer: TransportLayer {
    let wrapped: any Transport

    func addedCredentials(to request: TransportRequest) -> AddedCredentials {
      wrapped.addedCredentials(to: request).union(.credential)
    }

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      var request = request
      request.headers.update(name: "Authorization", value: "Bearer t")
      return wrapped.start(request, handler: handler)
    }
  }

  @Test("a token that the layer of an origin adds is stated")
  func addedToken() {
    let breakers = breakers()
    let transport = ScriptedTransport().perOrigin(breakers) { transport, _ in TokenLayer(wrapped: transport) }
    #expect(transport.addedCredentials(to: .init(url: "http://a/")) == [.credential])
    let plain = ScriptedTransport().perOrigin(breakers) { $0.circuitBreaker($1) }
    #expect(plain.addedCredentials(to: .init(url: "http://a/")) == [])
  }

  /// A layer whose transfers need it.
  private final class NeededLayer: TransportLayer {
    let wrapped: any Transport
    private let log: Log

    init(_ wrapped: any Transport, _ log: Log) { (self.wrapped, self.log) = (wrapped, log) }

    deinit { log("released") }

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      wrapped.start(request) { [weak self] event in
        if self != nil { handler(event) }
      }
    }
  }

  @Test("the layer of a request lives until its transfer ends")
  func layerOfRequest() {
    let (wire, log) = (ScriptedTransport(), Log())
    let transport = wire.perOrigin(breakers()) { transport, _ in NeededLayer(transport, log) }
    let token = transport.start(TransportRequest(url: "http://a/")) { event in
      if case .finished = event { log("end") }
    }
    wire.transfers[0].respond()
    #expect(log.all == ["end"])
    wire.transfers[0].releaseHandler()
    #expect(log.all == ["end", "released"])
    withExtendedLifetime(token) {}
  }

  @Test("the limit of an origin does not make requests to another wait")
  func limit() {
    let wire = ScriptedTransport()
    let limits = PerOrigin { [time] in ConcurrencyLimit(1, scheduler: time) }
    let transport = wire.perOrigin(limits) { $0.limitConcurrency($1) }
    let tokens = ["http://a/1", "http://a/2", "http://b/1"].map { start($0, over: transport) }
    #expect(wire.transfers.map(\.request.url) == ["http://a/1", "http://b/1"])
    #expect(limits["http://a"].waitingCount == 1)
    wire.finish()
    time.advance(by: .zero)
    #expect(wire.transfers.count == 3)
    wire.finish()
    withExtendedLifetime(tokens) {}
  }

  @Test("a rate limit makes no request to another origin wait, and is not forgotten while it is in use")
  func rateLimit() {
    let wire = ScriptedTransport()
    let limits = PerOrigin(capacity: 2) { [time] in RateLimit(1, per: .seconds(10), scheduler: time) }
    let transport = wire.perOrigin(limits) { $0.limitRate($1) }
    var tokens = ["http://a/1", "http://a/2", "http://b/1"].map { start($0, over: transport) }
    #expect(wire.transfers.map(\.request.url) == ["http://a/1", "http://b/1"])
    time.advance(by: .seconds(5))
    // These are more origins than the capacity.
    tokens += ["http://c/1", "http://d/1", "http://a/3", "http://b/2"].map { start($0, over: transport) }
    #expect(wire.transfers.map(\.request.url).suffix(2) == ["http://c/1", "http://d/1"])
    #expect(limits["http://a"].waitingCount == 2)
    time.advance(by: .seconds(5))
    #expect(wire.transfers.map(\.request.url).suffix(2) == ["http://a/2", "http://b/2"])
    time.advance(by: .seconds(10))
    #expect(wire.transfers.map(\.request.url).last == "http://a/3")
    #expect(wire.transfers.count == 7)
    wire.finish()
    withExtendedLifetime(tokens) {}
  }

  @Test("the retries for an origin do not use up the budget of another")
  func budget() throws {
    let wire = ScriptedTransport { $0.respond(503) }
    let retries = PerOrigin { [time] in
      RetryPolicy(
        retryLimit: 1,
        budget: RetryBudget(ratio: 0.5, minimumPerSecond: 0, window: .seconds(3_600), scheduler: time))
    }
    let provider = NetworkProvider<LoopbackTarget>(
      transport: wire, interceptors: [retries], scheduler: time)
    for host in ["a", "a", "a", "b"] {
      provider.request(LoopbackTarget(try #require(URL(string: "http://\(host)")))) { _ in }
    }
    time.advance(by: .seconds(60))
    #expect(wire.transfers.count { $0.request.url.hasPrefix("http://a") } == 4)
    #expect(wire.transfers.count { $0.request.url.hasPrefix("http://b") } == 1)
  }

  @Test("a request that is redirected counts for the origin to which it was sent")
  func redirect() async throws {
    let failing = try LoopbackServer { _ in .status(503) }
    let redirecting = try LoopbackServer { [origin = failing.origin] _ in .redirect(to: origin) }
    let breakers = breakers()
    let transport = try CurlTransport().perOrigin(breakers) { $0.circuitBreaker($1) }
    #expect(await transport.exchange(TransportRequest(url: redirecting.origin)).head?.statusCode == 503)
    #expect(breakers[redirecting.origin].state == .open)
    #expect(breakers[failing.origin].state == .closed)
  }

  @Test("unused policies are forgotten, the oldest first, and those of running calls are not")
  func bound() {
    // The limits differ in `maxWaiting`.
    let made = Lock(0)
    let limits = PerOrigin(capacity: 10) { [time] in
      let number = made.withLock { made in
        made += 1
        return made
      }
      return ConcurrencyLimit(1, maxWaiting: number, scheduler: time)
    }
    let permits = Lock([ConcurrencyLimit.Permit]())
    for number in 0..<3 {
      _ = limits["http://used\(number)"].acquire { result in
        guard let permit = try? result.get() else { return }
        permits.withLock { $0.append(permit) }
      }
    }
    // A policy that is used again and again is not forgotten, either.
    let often = limits["http://often"].maxWaiting
    for number in 0..<1_000 {
      _ = limits["http://h\(number)"]
      #expect(limits["http://often"].maxWaiting == often)
      #expect(limits.count <= 10)
    }
    #expect((0..<3).allSatisfy { limits["http://used\($0)"].runningCount == 1 })
    // None was created twice, until a forgotten one is needed again.
    #expect(made.withLock { $0 } == 1_004)
    _ = limits["http://h0"]
    #expect(made.withLock { $0 } == 1_005)
    permits.withLock { $0 = [] }
    for number in 0..<20 { _ = limits["http://h\(number)"] }
    _ = limits["http://used0"]
    #expect(made.withLock { $0 } == 1_025)
  }

  @Test("a full table keeps half of its capacity, and a capacity below 2 counts as 2")
  func room() {
    let breakers = PerOrigin(capacity: 8) { CircuitBreaker() }
    for number in 0..<9 { _ = breakers["http://h\(number)"] }
    #expect(breakers.count == 5)
    let small = PerOrigin(capacity: -1) { CircuitBreaker() }
    for number in 0..<2 { _ = small["http://h\(number)"] }
    #expect(small.count == 2)
  }

  @Test("an adapter that gets only the session is that of the request's origin")
  func adapterWithSession() {
    let interceptors = PerOrigin {
      AuthenticationInterceptor(
        authenticator: ImmediateAuthenticator(), credential: ImmediateAuthenticator.Token(value: "a"))
    }
    let log = Log()
    let request = URLRequest(url: URL(staticString: "http://h"))
    interceptors.adapt(request, for: Session(transport: ScriptedTransport())) { result in
      log((try? result.get())?.value(forHTTPHeaderField: "Authorization") ?? "none")
    }
    #expect(log.all == ["Bearer a"])
  }

  @Test("more policies than the capacity can be in use")
  func used() {
    let breakers = PerOrigin(capacity: 2) { CircuitBreaker() }
    let held = (0..<100).map { breakers["http://h\($0)"] }
    #expect(breakers.count == 100)
    #expect((0..<100).allSatisfy { breakers["http://h\($0)"] === held[$0] })
  }

  @Test("after a burst, the table has no more than its capacity again")
  func burst() {
    let breakers = PerOrigin(capacity: 10) { CircuitBreaker() }
    withExtendedLifetime((0..<100).map { breakers["http://h\($0)"] }) { #expect(breakers.count == 100) }
    for number in 100..<500 { _ = breakers["http://h\(number)"] }
    #expect(breakers.count <= 10)
  }

  @Test("the policy that another thread has created in the meantime is used")
  func race() {
    let table = Lock<PerOrigin<CircuitBreaker>?>(nil)
    let faster = Lock<CircuitBreaker?>(nil)
    let breakers = PerOrigin {
      // The closure of the first call makes the second one, as another thread would.
      if let breakers = table.withLock({ $0.take() }) {
        let breaker = breakers["http://h"]
        faster.withLock { $0 = breaker }
      }
      return CircuitBreaker()
    }
    table.withLock { $0 = breakers }
    let breaker = breakers["http://h"]
    #expect(breaker === faster.withLock { $0 })
    #expect(breakers.count == 1)
  }
}
