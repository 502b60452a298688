public import Dispatch
public import RxLite

extension PrimitiveSequence where Trait == SingleTrait {
  /// Caches the element for a time, for all subscribers of the returned single.
  ///
  /// ```swift
  /// let account = CacheScope()
  /// let profile = provider.rx.value(.profile, as: User.self).cached(for: .seconds(60), in: account)
  /// // At sign-out:
  /// account.removeAll()
  /// ```
  ///
  /// The first subscriber starts the source, subscribers during that run share it, and later subscribers
  /// receive the cached element until it expires. Errors are not cached, nor is a `Response` that
  /// `retry(backoff:)` would repeat, such as a 503 that no filter has refused. A run is disposed when all its
  /// subscribers are.
  ///
  /// A timer of the scheduler releases the element at the end of its lifetime. If the system's clock is set
  /// back, the timer still ends the lifetime in time; if the clock is set forward, the lifetime can only end
  /// earlier.
  ///
  /// - Parameters:
  ///   - lifetime: how long the element is cached, counted from its arrival.
  ///   - scope: empties the cache on demand; `nil` if only the lifetime empties it.
  ///   - scheduler: measures the lifetime; a virtual scheduler for tests.
  /// - Returns: the single. Create it once and keep it, because the cache lives as long as the single.
  public func cached(
    for lifetime: RxTimeInterval, in scope: CacheScope? = nil,
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
  ) -> Single<Element> {
    let cache = SingleCache(asObservable(), for: lifetime, in: scope, scheduler)
    return Single.deferred { cache.current() }
  }
}

extension ObservableType {
  /// Shares one subscription while there are subscribers, and replays the latest element to later
  /// subscribers.
  ///
  /// An older name of `share(replay: 1, scope: .whileConnected)`.
  ///
  /// - Returns: the shared sequence.
  public func shareReplayLatestWhileConnected() -> Observable<Element> {
    share(replay: 1, scope: .whileConnected)
  }
}
