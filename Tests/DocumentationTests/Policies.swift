import Foundation
import ReactiveNetworkLock
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

/// The article's examples, about one service.
private struct Examples {
  let provider: NetworkProvider<Catalogue>
  let guards: Guards

  struct Item: Decodable, Equatable, Sendable {
    let id: Int
  }

  enum Catalogue: TargetType {
    case item(Int)

    var baseURL: URL { URL(string: "https://catalogue.example")! }
    var path: String {
      switch self {
      case .item(let id): "/items/\(id)"
      }
    }
    var validationType: ValidationType { .successCodes }
  }

  struct Guards {
    let budget = RetryBudget(ratio: 0.2)
    let breaker = CircuitBreaker(opensAt: .failureRatio(0.5, minimumCalls: 20, window: 10), probeWait: 5)
    let limit = ConcurrencyLimit(8, maxWaiting: 32)
    let hedge = HedgePolicy(after: .percentile(95, initially: 0.2), budget: RetryBudget(ratio: 0.1))
  }

  func item(_ id: Int) -> Single<Item> {
    provider.rx.value(.item(id), as: Item.self)
      .requestTimeout(.seconds(3))
      .limitConcurrency(guards.limit, longestWait: .seconds(1))
      .hedged(guards.hedge)
      .circuitBreaker(guards.breaker)
      .retry(backoff: .exponential(), maxAttempts: 3, budget: guards.budget)
  }

  func trouble() -> Observable<Bool> {
    guards.breaker.rx.state.map { $0 != .closed }.distinctUntilChanged()
  }

  let strict = CircuitBreaker(
    slowCallDuration: 2, isFailure: { ($0 as? NetworkError)?.isTransient == true })

  let breakers = PerOrigin { CircuitBreaker() }

  func guarded(_ target: Catalogue) -> Single<Response> {
    provider.rx.request(target).circuitBreaker(breakers[target.baseURL.absoluteString])
  }

  func guardedProvider() throws -> NetworkProvider<Catalogue> {
    let retries = PerOrigin { RetryPolicy(budget: RetryBudget(ratio: 0.2)) }
    return NetworkProvider(
      transport: try CurlTransport().perOrigin(breakers) { $0.circuitBreaker($1) }, interceptors: [retries])
  }

  let orders = HedgePolicy(
    after: .fixed(0.3), budget: RetryBudget(ratio: 0.1), hedgeableHTTPMethods: [.get, .post])

  let adaptive = ConcurrencyLimit(10, adapting: .aimd(slowest: 0.3, within: 2...100), maxWaiting: 50)
}

@Suite("Examples in Policies", .timeLimit(.minutes(5)))
struct PoliciesTests {
  private let stubs = StubTable<Examples.Catalogue>()

  private func examples() -> Examples {
    Examples(provider: NetworkProvider(stubs: stubs), guards: Examples.Guards())
  }

  @Test("an item passes through all policies")
  func item() async throws {
    stubs.add(path: "/items/1", [.networkResponse(200, Data(#"{"id": 1}"#.utf8))])
    let examples = examples()
    #expect(try await examples.item(1).value == Examples.Item(id: 1))
    #expect(examples.guards.limit.runningCount == 0)
    #expect(examples.guards.breaker.state == .closed)
  }

  @Test("the breaker of an origin serves the operator and the transport")
  func origins() async throws {
    let examples = examples()
    let breaker = examples.breakers["https://catalogue.example"]
    breaker.isolate()
    await #expect(throws: CircuitOpenError.self) { _ = try await examples.guarded(.item(1)).value }
    let provider = try examples.guardedProvider()
    await #expect(throws: NetworkError.self) { _ = try await provider.response(for: .item(1)) }
    #expect(breaker.refusalCount == 2)
  }

  @Test("failures open the breaker, which refuses calls")
  func trouble() async throws {
    let examples = examples()
    let states = Lock([Bool]())
    let subscription = examples.trouble().subscribe(onNext: { state in states.withLock { $0.append(state) } })
    let failure = NetworkError.statusCode(Response(statusCode: 503, data: Data()))
    for _ in 0..<20 { try examples.guards.breaker.begin().fail(failure) }
    #expect(states.withLock { $0 } == [false, true])
    subscription.dispose()
    await #expect(throws: CircuitOpenError.self) { _ = try await examples.item(2).value }
  }
}
