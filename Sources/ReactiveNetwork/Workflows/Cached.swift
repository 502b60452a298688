public import Dispatch
public import RxLite

extension PrimitiveSequence where Trait == SingleTrait {
  /// Keeps the element for some time, for all subscribers of the returned single.
  ///
  /// ```swift
  /// let account = CacheScope()
  /// let profile = provider.rx.value(.profile, as: User.self).cached(for: .seconds(60), in: account)
  /// // At sign-out:
  /// account.removeAll()
  /// ```
  ///
  /// The first subscriber starts the source, subscribers during that run share it, and later subscribers get the
  /// kept element, until that is out of date. Errors are not kept. A run is disposed when all its subscribers are.
  ///
  /// The element is released at the end of its lifetime, by a timer of the scheduler. That timer, not the system's clock, is the upper
  /// bound: a clock that is set back does not prolong the lifetime, and one that is set forward can only end it earlier.
  ///
  /// - Parameters:
  ///   - lifetime: how long the element is kept, counted from its arrival.
  ///   - scope: empties the cache on demand; `nil` if only time does.
  ///   - scheduler: measures the lifetime; a virtual one for tests.
  /// - Returns: the single: make it once and keep it, because the cache lives as long as it does.
  public func cached(
    for lifetime: RxTimeInterval, in scope: CacheScope? = nil,
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
  ) -> Single<Element> {
    let cache = SingleCache(asObservable(), for: lifetime, in: scope, scheduler)
    return Single.deferred { cache.current() }
  }
}

extension ObservableType {
  /// Shares one subscription that lasts while somebody is subscribed, and repeats the latest element to who comes later.
  ///
  /// The older spelling of `share(replay: 1, scope: .whileConnected)`.
  ///
  /// - Returns: the shared sequence.
  public func shareReplayLatestWhileConnected() -> Observable<Element> {
    share(replay: 1, scope: .whileConnected)
  }
}
