import Dispatch
import NetworkCore
import ReactiveNetwork
import ReactiveNetworkLock
import RxLite

extension ProgramRun {
  /// The sequence that each subscriber subscribes to.
  func sequence() -> Observable<Response> {
    let first = provider.rx.request(target(composition.posts ? "post" : "get")).filterSuccessfulStatusCodes()
    switch composition.shape {
    case .single, .callbacks:
      return operated(first).asObservable()
    case .chain:
      let (provider, second) = (provider, target("get"))
      return operated(first.flatMap { _ in provider.rx.request(second).filterSuccessfulStatusCodes() })
        .asObservable()
    case .pages, .strangePages:
      let (provider, isForeign) = (provider, composition.shape == .strangePages)
      let next = operated(
        provider.rx.request(target("page", isForeign: isForeign)).filterSuccessfulStatusCodes())
      let isFirst = "/get/"
      return operated(first).paginate { response in
        response.url?.path.hasPrefix(isFirst) == true ? next : nil
      }
    case .latest:
      let (provider, targets) = (provider, (0..<3).map { _ in target("get") })
      return Observable.from(targets).flatMapLatest { target in
        self.operated(provider.rx.request(target).filterSuccessfulStatusCodes()).asObservable()
      }
    case .poll:
      return operated(first).poll(every: .milliseconds(1)).take(3)
    }
  }

  private func operated(_ request: Single<Response>) -> Single<Response> {
    composition.operators.reduce(request) { operate($1, on: $0) }
  }

  private func operate(_ name: Composition.Operator, on single: Single<Response>) -> Single<Response> {
    switch name {
    case .retry: return single.retry(backoff: .constant(.milliseconds(1)))
    case .budgetedRetry: return single.retry(backoff: .constant(.milliseconds(1)), budget: budget)
    case .hedged: return single.hedged(after: .milliseconds(3), budget: budget)
    case .limited: return single.limitConcurrency(limit)
    case .breaker: return single.circuitBreaker(CircuitBreaker(opensAt: .consecutiveFailures(1_000)))
    case .refreshing: return single.refreshingToken(with: refresher())
    case .cached: return single.cached(for: .seconds(60))
    case .timeout: return single.requestTimeout(.seconds(15))
    case .observeOnPool: return single.observe(on: ConcurrentDispatchQueueScheduler(qos: .default))
    case .observeOnQueue: return single.observe(on: SerialDispatchQueueScheduler(qos: .default))
    case .shared: return single.asObservable().share().asSingle()
    }
  }

  private func refresher() -> TokenRefresher {
    var token = target("token", isForeign: composition.refreshesElsewhere, method: .post)
    token.isAuthorized = false
    return TokenRefresher { [plain, record, token] in
      plain.rx.request(token).filterSuccessfulStatusCodes().map { _ in
        record.state.withLock { $0.version += 1 }
      }
    }
  }
}
