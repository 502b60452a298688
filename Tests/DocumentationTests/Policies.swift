import Foundation
import ReactiveNetworkLock
import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

/// The article's examples, about one service.
struct PolicyExamples {
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
    let breaker = CircuitBreaker(
      opensAt: .failureRatio(0.5, minimumCalls: 20, window: .seconds(10)), probeWait: .seconds(5))
    let limit = ConcurrencyLimit(8, maxWaiting: 32)
    let hedge = HedgePolicy(
      after: .percentile(95, initially: .milliseconds(200)), budget: RetryBudget(ratio: 0.1))
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
}

@Suite("Examples in Policies", .timeLimit(.minutes(5)))
struct PoliciesTests {
  private let stubs = StubTable<PolicyExamples.Catalogue>()

  private func examples() -> PolicyExamples {
    PolicyExamples(provider: NetworkProvider(stubs: stubs), guards: PolicyExamples.Guards())
  }

  @Test("an item passes through all policies")
  func item() async throws {
    stubs.add(path: "/items/1", [.networkResponse(200, Data(#"{"id": 1}"#.utf8))])
    let examples = examples()
    #expect(try await examples.item(1).value == PolicyExamples.Item(id: 1))
    #expect(examples.guards.limit.runningCount == 0)
    #expect(examples.guards.breaker.state == .closed)
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
    await #expect(throws: NetworkError.self) { _ = try await examples.item(2).value }
  }
}
