import ReactiveNetwork
import ReactiveNetworkExamples
import ReactiveNetworkLock
import LoopbackServer

/// A group of clients, and the service that only they use.
final class ClientGroup: Sendable {
  /// The policies that protect the service.
  enum Protection: CaseIterable {
    case retries
    case budget
    case allPolicies
    case staleAnswers
    /// All policies, with a breaker that is isolated for the outage, as before an announced maintenance.
    case isolation

    var title: String {
      switch self {
      case .retries: "retries alone"
      case .budget: "with a budget"
      case .allPolicies: "all policies"
      case .staleAnswers: "stale answers"
      case .isolation: "isolated by hand"
      }
    }
  }

  /// The age in milliseconds up to which an answer is given at once while a fresh one is requested.
  private static let staleWhileRevalidate = 1_500

  /// The numbers that the clients count.
  struct CallCounts {
    var calls = 0
    /// The number of calls with an answer, and how many of these had only an earlier one: at once, or in place
    /// of an error.
    var answered = 0
    var staleWhileRevalidate = 0
    var staleIfError = 0
    /// The number of fresh answers, and when each client has had its last one.
    var fresh = 0
    var freshAt: [Int: ContinuousClock.Instant] = [:]
    var failed = 0
    /// The numbers of calls that the breaker (`refused`) and the limit (`shed`) have refused.
    var refused = 0
    var shed = 0
    /// The durations of the successful calls; `RunStatistics` uses those before the outage.
    var latencies: [Duration] = []
  }

  let protection: Protection
  let service: FlakyService
  private let budget = RetryBudget(ratio: 0.2, minimumPerSecond: 1, window: .seconds(10))
  private let breaker = CircuitBreaker(
    opensAt: .failureRatio(0.5, minimumCalls: 10, window: .seconds(2)), slowCallDuration: .milliseconds(800),
    probeWait: .milliseconds(500), longestProbeWait: .seconds(1), probes: 4, probeFailureRatio: 0.25)
  private let hedge = HedgePolicy(
    after: .percentile(95, initially: .milliseconds(50)),
    budget: RetryBudget(ratio: 0.1, minimumPerSecond: 1))
  private let limit: ConcurrencyLimit
  private let cache = CacheScope()
  private let provider: NetworkProvider<ServiceRequest>
  /// The provider of the first client, whose requests are drawn.
  private let drawnProvider: NetworkProvider<ServiceRequest>
  private let state = Lock(CallCounts())

  /// Creates `count` clients, each of which makes one call a second; `plugins` observe the first client.
  init(_ protection: Protection, count: Int, plugins: [any PluginType]) throws {
    self.protection = protection
    service = try FlakyService(capacity: 2 * count + 20)
    let places = count / 4 + 4
    limit = ConcurrencyLimit(
      places, adapting: .gradient(within: 4...places), maxWaiting: places, newestFirstAbove: places / 2)
    // A transport of its own, so that the storm of one group does not delay the requests of another.
    let transport = try CurlTransport()
    provider = NetworkProvider(transport: transport)
    drawnProvider = NetworkProvider(transport: transport, plugins: plugins)
  }

  var counts: CallCounts { state.withLock { $0 } }

  /// Begins a phase of the run.
  func begin(_ phase: RunStatistics.Phase) {
    if protection == .isolation, phase == .outage { breaker.isolate() }
    service.setFailing(phase == .outage)
    if protection == .isolation, phase != .outage { breaker.close() }
  }

  /// Makes the calls of one client until the subscription is disposed.
  func calls(
    of client: Int, startingAfter start: RxTimeInterval, on scheduler: any SchedulerType
  ) -> Observable<Never> {
    let provider = client == 0 ? drawnProvider : provider
    return Observable<Int>.timer(start, period: .seconds(1), scheduler: scheduler)
      .flatMap { _ in self.call(of: client, provider) }
  }

  /// Makes one call, and counts its end.
  private func call(of client: Int, _ provider: NetworkProvider<ServiceRequest>) -> Observable<Never> {
    Observable.deferred {
      let begin = ContinuousClock.now
      self.state.withLock { $0.calls += 1 }
      return self.answer(for: client, provider)
        .do(
          onSuccess: { _ in self.recordAnswer(to: client, since: begin) },
          onError: { self.recordFailure($0) }
        )
        .asObservable().ignoreElements().catch { _ in .empty() }
    }
  }

  /// Returns the answer to a call; for `staleAnswers`, the client's last one while a fresh one is requested, or
  /// if there is none.
  private func answer(for client: Int, _ provider: NetworkProvider<ServiceRequest>) -> Single<Response> {
    let answer = request(of: provider).do(onSuccess: { _ in self.recordFreshAnswer(to: client) })
    guard protection == .staleAnswers else { return answer }
    return answer.cached(
      for: .seconds(0), key: client, in: cache,
      staleWhileRevalidate: .milliseconds(Self.staleWhileRevalidate),
      staleIfError: .seconds(60))
  }

  private func request(of provider: NetworkProvider<ServiceRequest>) -> Single<Response> {
    // The path identifies the requests of the group in the picture.
    let path = "/" + protection.title.replacing(" ", with: "-")
    let request = provider.rx.request(ServiceRequest(baseURL: service.server.baseURL, path: path))
      .filterSuccessfulStatusCodes()
      .requestTimeout(.seconds(2))
    let backoff = Backoff.exponential(initial: .milliseconds(100), max: .milliseconds(400))
    return switch protection {
    case .retries: request.retry(backoff: backoff, maxAttempts: 5)
    case .budget: request.retry(backoff: backoff, maxAttempts: 5, budget: budget)
    case .allPolicies, .staleAnswers, .isolation:
      request
        .limitConcurrency(limit, longestWait: .seconds(1))
        .hedged(hedge)
        .circuitBreaker(breaker)
        .retry(backoff: backoff, maxAttempts: 5, budget: budget, deadline: .seconds(3))
    }
  }

  private func recordFreshAnswer(to client: Int) {
    state.withLock { counts in
      counts.fresh += 1
      counts.freshAt[client] = .now
    }
  }

  private func recordAnswer(to client: Int, since begin: ContinuousClock.Instant) {
    let time = ContinuousClock.now - begin
    state.withLock { counts in
      counts.answered += 1
      counts.latencies.append(time)
      guard let fresh = counts.freshAt[client], fresh < begin else { return }
      if begin - fresh < .milliseconds(Self.staleWhileRevalidate) {
        counts.staleWhileRevalidate += 1
      } else {
        counts.staleIfError += 1
      }
    }
  }

  private func recordFailure(_ error: any Error) {
    state.withLock { counts in
      switch (error as? NetworkError)?.transferError {
      case .circuitOpen: counts.refused += 1
      case .queueFull, .waitedTooLong: counts.shed += 1
      default: counts.failed += 1
      }
    }
  }
}
