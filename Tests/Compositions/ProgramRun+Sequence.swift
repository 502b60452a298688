import Dispatch
import NetworkCore
import ReactiveNetwork
import ReactiveNetworkLock
import RxLite

extension ProgramRun {
  /// The first request, with the operators.
  func single() -> Single<Response> {
    operated(provider.rx.request(first).filterSuccessfulStatusCodes())
  }

  /// The sequence that each subscriber subscribes to.
  func sequence() -> Observable<Response> {
    switch composition.shape {
    case .single, .callbacks, .burst, .task, .taskOfSingle, .socket, .latestSocket, .topics, .taskOfSocket:
      return single().asObservable()
    case .chain:
      let (provider, second) = (provider, target("get"))
      let inner = provider.rx.request(first).filterSuccessfulStatusCodes()
      let both = composition.innerOperators.reduce(inner) { operate($1, on: $0) }.flatMap { _ in
        provider.rx.request(second).filterSuccessfulStatusCodes()
      }
      return operated(both).asObservable()
    case .pages, .strangePages:
      let second = target("page", isForeign: composition.shape.isStrange)
      let next = operated(provider.rx.request(second).filterSuccessfulStatusCodes())
      return single().paginate { $0.isFirstPage ? next : nil }
    case .targetPages, .strangeTargetPages:
      let second = target("page", isForeign: composition.shape.isStrange)
      return provider.rx.paginate(first) { $0.isFirstPage ? second : nil }
    case .latest:
      let (provider, targets) = (provider, (0..<3).map { _ in target("get") })
      return Observable.from(targets).flatMapLatest { target in
        self.operated(provider.rx.request(target).filterSuccessfulStatusCodes()).asObservable()
      }
    case .poll:
      return single().poll(every: policies.wait, scheduler: policies.scheduler).take(3)
    }
  }

  private func operated(_ request: Single<Response>) -> Single<Response> {
    composition.operators.reduce(request) { operate($1, on: $0) }
  }

  private func operate(_ name: Composition.Operator, on single: Single<Response>) -> Single<Response> {
    let (policies, scheduler) = (policies, policies.scheduler)
    switch name {
    case .retry: return single.retry(backoff: .constant(policies.wait), scheduler: scheduler)
    case .budgetedRetry:
      return single.retry(backoff: .constant(policies.wait), budget: policies.budget, scheduler: scheduler)
    case .hedged, .hedgedUnknown:
      let policy = HedgePolicy(
        after: .fixed(policies.hedgeDelay), budget: policies.budget,
        hedgesUnknownRequests: name == .hedgedUnknown, scheduler: policies.delays)
      return single.hedged(policy)
    case .limited: return single.limitConcurrency(policies.limit, longestWait: nil)
    case .rated: return single.limitRate(policies.rate, longestWait: nil)
    case .breaker: return single.circuitBreaker(policies.breaker)
    case .refreshing: return single.refreshingToken(with: refresher())
    case .cached: return single.cached(for: policies.long, scheduler: scheduler)
    case .timeout: return single.requestTimeout(policies.long, scheduler: scheduler)
    case .observeOnPool: return single.observe(on: ConcurrentDispatchQueueScheduler(qos: .default))
    case .observeOnQueue: return single.observe(on: SerialDispatchQueueScheduler(qos: .default))
    // Without a replay, a subscriber that arrives between the element and the end gets the end alone.
    case .shared: return single.asObservable().share(replay: 1).asSingle()
    case .takeUntil: return single.take(until: stop).asSingle()
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

extension Response {
  /// Whether another page follows.
  fileprivate var isFirstPage: Bool { url?.path.hasPrefix("/get/") == true }
}
