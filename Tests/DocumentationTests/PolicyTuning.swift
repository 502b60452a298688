import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

/// The article's examples, about the service of the article on policies.
private struct Examples {
  typealias Catalogue = PolicyExamples.Catalogue

  let provider: NetworkProvider<Catalogue>

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

@Suite("Examples in Tune the policies", .timeLimit(.minutes(5)))
struct PolicyTuningTests {
  @Test("the breaker of an origin serves the operator and the transport")
  func origins() async throws {
    let examples = Examples(provider: NetworkProvider(stubs: StubTable<PolicyExamples.Catalogue>()))
    let breaker = examples.breakers["https://catalogue.example"]
    breaker.isolate()
    await #expect(throws: CircuitOpenError.self) { _ = try await examples.guarded(.item(1)).value }
    let provider = try examples.guardedProvider()
    await #expect(throws: NetworkError.self) { _ = try await provider.response(for: .item(1)) }
    #expect(breaker.refusalCount == 2)
  }
}
