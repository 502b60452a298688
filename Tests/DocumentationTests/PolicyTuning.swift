import NetworkCore
import ReactiveNetwork
import RxLite
import Testing

/// The article's examples, about the service of the article on policies.
private struct Examples {
  typealias Catalogue = PolicyExamples.Catalogue

  let provider: NetworkProvider<Catalogue>

  let strict = CircuitBreaker(
    slowCallDuration: .seconds(2), isFailure: { ($0 as? NetworkError)?.isTransient == true })

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
    after: .fixed(.milliseconds(300)), budget: RetryBudget(ratio: 0.1), hedgeableHTTPMethods: [.get, .post])

  let adaptive = ConcurrencyLimit(
    10, adapting: .aimd(slowest: .milliseconds(300), within: 2...100), maxWaiting: 50)
}

@Suite("Examples in Tune the policies", .timeLimit(.minutes(5)))
struct PolicyTuningTests {
  @Test("the breaker of an origin serves the operator and the transport")
  func origins() async throws {
    let examples = Examples(provider: NetworkProvider(stubs: StubTable<PolicyExamples.Catalogue>()))
    let breaker = examples.breakers["https://catalogue.example"]
    breaker.isolate()
    let provider = try examples.guardedProvider()
    for refused in [
      { _ = try await examples.guarded(.item(1)).value }, { _ = try await provider.response(for: .item(1)) },
    ] as [() async throws -> Void] {
      await #expect {
        try await refused()
      } throws: { error in
        (error as? NetworkError)?.transferError == .circuitOpen(timeUntilProbe: nil)
      }
    }
    #expect(breaker.refusalCount == 2)
  }
}
