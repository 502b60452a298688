import Foundation
import NetworkCore

private func use(_: Any...) {}

private typealias GitHub = API

private final class Export: BodyReader {
  init(table: String) throws {}

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int? { 0 }
}

private func bodies(_ url: String) {
  let body = BodyStream(length: 3_000_000) { _ in try Export(table: "people") }
  let request = TransportRequest(method: .put, url: url, body: .stream(body))
  use(request)
}

private func caches(_ folder: URL) throws {
  let cache = try HTTPCache(directory: folder)
  let provider = NetworkProvider<GitHub>(transport: CachingTransport(try CurlTransport(), cache: cache))
  use(provider)
}

private func configurations() throws {
  var configuration = CurlConfiguration()
  configuration.tls.authorities = .file("/etc/ssl/company.pem")
  configuration.tls.minimumVersion = .v1_3
  let transport = try CurlTransport(configuration: configuration)
  use(transport)
}

private func transfers() throws {
  let transport = try CurlTransport()
  let request = TransportRequest(url: "http://127.0.0.1:8080/")
  let transfer = transport.start(request) { event in
    if case .finished(let error) = event { print(error ?? "whole") }
  }
  transfer.cancel()
}

private func recordings(_ fixtures: URL) throws {
  let recorder = try RecordingTransport(CurlTransport(), folder: fixtures)
  let provider = NetworkProvider<GitHub>(transport: recorder)
  use(provider)
}

private func redirects() {
  var configuration = CurlConfiguration()
  configuration.redirects = .modify { next, response in
    response.headers["X-Stay"] == nil ? next : nil
  }
  use(configuration)
}

private func pins() throws {
  let pins = [try PublicKeyPin("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")]
  var configuration = CurlConfiguration()
  configuration.serverTrustManager = ServerTrustManager(
    evaluators: ["api.example.com": PublicKeysTrustEvaluator(keys: pins)])
  let provider = NetworkProvider<API>(transport: try CurlTransport(configuration: configuration))
  use(provider)
}

private func hedges() throws {
  let hedge = HedgePolicy(
    after: .percentile(95, initially: .milliseconds(200)), budget: RetryBudget(ratio: 0.1))
  let transport = try CurlTransport().hedged(hedge)
  use(transport)
}

private func hedgedProviders() throws {
  let hedge = HedgePolicy(
    after: .percentile(95, initially: .milliseconds(200)), budget: RetryBudget(ratio: 0.1))
  let provider = NetworkProvider<GitHub>(transport: try CurlTransport().hedged(hedge))
  use(provider)
}

private func limits() throws {
  let limit = ConcurrencyLimit(8, maxWaiting: 32)
  let provider = NetworkProvider<GitHub>(
    transport: try CurlTransport().limitConcurrency(limit, longestWait: .seconds(2)) {
      $0.method == .get ? 0 : 1
    })
  use(provider)
}

private func adaptiveLimits() {
  let limit = ConcurrencyLimit(10, adapting: .aimd(slowest: .milliseconds(300), within: 2...100))
  use(limit)
}

private func breakers() throws {
  let breaker = CircuitBreaker(opensAt: .failureRatio(0.5, minimumCalls: 20, window: .seconds(10)))
  let provider = NetworkProvider<GitHub>(transport: try CurlTransport().circuitBreaker(breaker))
  use(provider)
}

private func policiesPerOrigin() throws {
  let breakers = PerOrigin { CircuitBreaker() }
  let retries = PerOrigin { RetryPolicy(budget: RetryBudget(ratio: 0.2)) }
  let provider = NetworkProvider<GitHub>(
    transport: try CurlTransport().perOrigin(breakers) { $0.circuitBreaker($1) }, interceptors: [retries])
  use(provider)
}

private func layersPerOrigin() throws {
  let breakers = PerOrigin { CircuitBreaker() }
  let limits = PerOrigin { ConcurrencyLimit(8) }
  let transport = try CurlTransport()
    .perOrigin(limits) { $0.limitConcurrency($1, longestWait: .seconds(2)) }
    .perOrigin(breakers) { $0.circuitBreaker($1) }
  use(transport)
}

private func ratesPerOrigin() throws {
  let limits = PerOrigin { RateLimit(100, per: .seconds(60)) }
  let transport = try CurlTransport().perOrigin(limits) { $0.limitRate($1, longestWait: .seconds(5)) }
  use(transport)
}

private func chaosPlans() {
  var plan = ChaosPlan(seed: 7)
  plan.delayRate = 0.2
  plan.failureRate = 0.05
  plan.statusRate = 0.05
  use(plan)
}

private func chaos() throws {
  var plan = ChaosPlan(seed: 7)
  plan.failureRate = 0.1
  let provider = NetworkProvider<GitHub>(transport: ChaosTransport(try CurlTransport(), plan: plan))
  use(provider)
}

private struct RequestIDs: TransportLayer {
  let wrapped: any Transport

  func addedCredentials(to request: TransportRequest) -> AddedCredentials {
    wrapped.addedCredentials(to: request)
  }

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    var request = request
    request.headers.update(name: "X-Request-ID", value: UUID().uuidString)
    return wrapped.start(request, handler: handler)
  }
}
