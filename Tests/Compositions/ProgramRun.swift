import Dispatch
import Foundation
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import ReactiveNetworkLock
import RxLite

/// Runs one program, and says which promises were broken.
final class ProgramRun: Sendable {
  /// The seconds after which a program counts as hanging; many, because all threads of the process may be busy.
  static let patience = 60

  let composition: Composition
  let service: Service
  let number: Int
  let record: ProgramRecord
  let provider: NetworkProvider<ProgramTarget>
  /// Sends requests without the user's token.
  let plain: NetworkProvider<ProgramTarget>
  let limit = ConcurrencyLimit(1)
  let layerLimit = ConcurrencyLimit(2)
  let budget = RetryBudget(ratio: 1, minimumPerSecond: 1_000)
  /// Ends of subscriptions and of the requests of handlers.
  let ends = DispatchGroup()

  init(_ composition: Composition, number: Int, on service: Service) {
    self.composition = composition
    self.service = service
    self.number = number
    let record = ProgramRecord(composition)
    self.record = record
    service.add(record, number: number)
    let base: any Transport = service.transports[composition.loops - 1]
    // The token's layer is the innermost, where nothing outside can see it.
    let isLayer = composition.tokenSource == .layer
    let inner: any Transport =
      isLayer ? TokenLayer(wrapped: base, record: record, origin: service.home.origin) : base
    let transport = composition.layers.reduce(inner) { [cache = service.cache, layerLimit, budget] in
      switch $1 {
      case .own: TokenLayer(wrapped: $0, record: record, origin: nil)
      case .caching: CachingTransport($0, cache: cache)
      case .hedging: $0.hedged(HedgePolicy(after: .fixed(0.004), budget: budget))
      case .limiting: $0.limitConcurrency(layerLimit)
      case .breaking: $0.circuitBreaker(CircuitBreaker(opensAt: .consecutiveFailures(1_000)))
      case .chaos: ChaosTransport($0, plan: ChaosPlan(seed: composition.seed))
      }
    }
    let tokenPlugins: [any PluginType] =
      composition.tokenSource == .plugin ? [AccessTokenPlugin { _ in record.token }] : []
    let interceptors: [any RequestInterceptor] =
      switch composition.tokenSource {
      case .interceptor: [TokenInterceptor(record: record)]
      case .asyncInterceptor: [AsyncTokenInterceptor(record: record)]
      case .plugin, .layer: []
      }
    provider = NetworkProvider(
      transport: transport,
      plugins: tokenPlugins + [CountingPlugin(record: record), EndingPlugin(record)],
      interceptors: interceptors, trackInflights: composition.sharesInflight)
    plain = NetworkProvider(transport: base, plugins: [EndingPlugin(record)])
  }

  /// Runs the program to its end.
  func violations() -> [String] {
    if composition.shape == .callbacks { runCallbacks() } else { runSequence() }
    if ends.wait(timeout: .now() + .seconds(Self.patience)) == .timedOut {
      record.note("a subscription or request has not ended after \(Self.patience) s")
    }
    for _ in 0..<5_000 where !isSettled { usleep(1_000) }
    service.remove(number: number)
    return faultsOfParts + faultsOnTheWire + record.state.withLock { $0.faults }
  }

  private func runSequence() {
    let sequence = sequence()
    let subscriptions = CompositeDisposable()
    if composition.cancellation == .onArrival {
      record.state.withLock { $0.onHit = { subscriptions.dispose() } }
    }
    for subscriber in 0..<composition.subscribers {
      if composition.changesUser { record.state.withLock { $0.user = "user\(subscriber)" } }
      let user = record.state.withLock { $0.user }
      ends.enter()
      let subscription = sequence.subscribe(
        onNext: { self.receive($0, for: user) }, onError: { _ in }, onDisposed: { self.ends.leave() })
      _ = subscriptions.insert(subscription)
    }
    switch composition.cancellation {
    case .atOnce: subscriptions.dispose()
    case .later:
      usleep(2_000)
      subscriptions.dispose()
    case .none, .onArrival: break
    }
  }

  /// Requests with callbacks instead of sequences.
  private func runCallbacks() {
    let tokens = CompositeDisposable()
    if composition.cancellation == .onArrival { record.state.withLock { $0.onHit = { tokens.dispose() } } }
    for _ in 0..<composition.subscribers {
      let user = record.state.withLock { $0.user }
      ends.enter()
      let token = provider.request(target(composition.posts ? "post" : "get")) { result in
        if case .success(let response) = result { self.receive(response, for: user) }
        self.ends.leave()
      }
      _ = tokens.insert(Disposables.create { token.cancel() })
    }
    switch composition.cancellation {
    case .atOnce: tokens.dispose()
    case .later:
      usleep(2_000)
      tokens.dispose()
    case .none, .onArrival: break
    }
  }

  private func receive(_ response: Response, for user: String) {
    let body = (try? response.mapString()) ?? ""
    if response.statusCode == 200, !["foreign", "token"].contains(body), body != user {
      record.note("\(user) got the response to \(body)")
    }
    switch composition.handler {
    case .returns: break
    case .blocks: usleep(8_000)
    case .computes:
      var numbers = SplitMix64(seed: 1)
      for _ in 0..<20_000 { _ = numbers.next() }
    case .sends:
      ends.enter()
      _ = provider.rx.request(target("follow")).subscribe(
        onFailure: { _ in }, onDisposed: { self.ends.leave() })
    }
  }

  func target(_ path: String, isForeign: Bool = false, method: HTTPMethod? = nil) -> ProgramTarget {
    // All programs share the addresses that a cache stores.
    let suffix = path == "get" ? "/\(composition.seed % 5)" : "/\(number)"
    return ProgramTarget(
      baseURL: isForeign ? service.foreign.baseURL : service.home.baseURL, path: path + suffix,
      number: number, method: method ?? (path == "post" ? .post : .get))
  }

  private var isSettled: Bool { faultsOfParts.isEmpty }

  private var faultsOfParts: [String] {
    let (running, observed) = record.state.withLock { ($0.running, $0.observed.count) }
    var faults: [String] = []
    if running != 0 { faults.append("a counting plugin ends at \(running)") }
    if observed != 0 { faults.append("\(observed) requests have not ended for observers") }
    for limit in [limit, layerLimit] where limit.runningCount + limit.waitingCount != 0 {
      faults.append("\(limit.runningCount) places are taken, and \(limit.waitingCount) wait")
    }
    return faults
  }

  private var faultsOnTheWire: [String] {
    let hits = record.state.withLock { $0.hits }
    var faults: [String] = []
    let refusals = hits.count { $0.path == "post" && $0.isRefused }
    let posts = hits.count { $0.path == "post" }
    if posts > composition.subscribers + refusals {
      faults.append("\(posts) POSTs for \(composition.subscribers) subscribers, \(refusals) refused")
    }
    for hit in hits where hit.isForeign {
      if hit.authorization != nil { faults.append("\(hit.path) took the token to another origin") }
      if hit.path == "page" { faults.append("a page of another origin was requested") }
    }
    return faults
  }
}
