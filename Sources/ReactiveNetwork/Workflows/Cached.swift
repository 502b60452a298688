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
  /// receive the cached element until it expires. Errors are not cached, nor is a `Response` with a status of
  /// 400 or more, although no filter has refused it. A run is disposed when all its subscribers are.
  ///
  /// A timer of the scheduler ends the lifetime, and each use after it. If the system's clock is set back, they still
  /// end in time; if the clock is set forward, they can only end earlier.
  ///
  /// After its lifetime, an element may still be used as RFC 5861 defines it for HTTP. Within
  /// `staleWhileRevalidate`, a subscriber receives it at once, and the source runs in the background. That run is
  /// no part of the subscription: an operator such as `retry(backoff:)`, `hedged(_:)` or `paginate` after the
  /// cache neither knows nor restricts its requests, and a dispose does not end it, only a later run that replaces it
  /// and `CacheScope.removeAll()` do. Within `staleIfError`, a
  /// subscriber receives the element if the source then fails for a reason that may pass (`isTransient`), or
  /// because a breaker or a limit refused the request; any other error is the subscriber's.
  ///
  /// - Parameters:
  ///   - lifetime: how long the element is cached, counted from its arrival.
  ///   - staleWhileRevalidate: how long after its lifetime the element is used while a new one is requested in
  ///     the background.
  ///   - staleIfError: how long after its lifetime the element is used in place of an error.
  ///   - scope: empties the cache on demand; `nil` if only the lifetime empties it.
  ///   - scheduler: measures the lifetime; a virtual scheduler for tests.
  /// - Returns: the single. Create it once and keep it, because the cache lives as long as the single.
  public func cached(
    for lifetime: RxTimeInterval, staleWhileRevalidate: RxTimeInterval = .seconds(0),
    staleIfError: RxTimeInterval = .seconds(0), in scope: CacheScope? = nil,
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
  ) -> Single<Element> {
    let times = CacheTimes(
      lifetime: lifetime, staleWhileRevalidate: staleWhileRevalidate, staleIfError: staleIfError)
    let cache = SingleCache(asObservable(), times, in: scope, scheduler)
    return Single.deferred { cache.current() }
  }

  /// Caches the element for a time, for all singles with an equal key in a scope.
  ///
  /// ```swift
  /// func user(_ name: String) -> Single<User> {
  ///   provider.rx.value(.user(name), as: User.self).cached(for: .seconds(60), key: name, in: account)
  /// }
  /// ```
  ///
  /// Otherwise it behaves like the operator without a key. The scope keeps the element, so the single may be
  /// created for each use. Singles whose elements have different types do not share. The first subscriber's
  /// source and times count until there is neither an element nor a run for the key.
  ///
  /// - Parameters:
  ///   - lifetime: how long the element is cached, counted from its arrival.
  ///   - key: identifies the element in the scope. `==` and `hash(into:)` are called while the scope holds a
  ///     lock, so they must not use the scope.
  ///   - scope: keeps the element, and empties the cache on demand.
  ///   - staleWhileRevalidate: how long after its lifetime the element is used while a new one is requested in
  ///     the background.
  ///   - staleIfError: how long after its lifetime the element is used in place of an error.
  ///   - scheduler: measures the lifetime; a virtual scheduler for tests.
  /// - Returns: the single.
  public func cached(
    for lifetime: RxTimeInterval, key: some Hashable & Sendable, in scope: CacheScope,
    staleWhileRevalidate: RxTimeInterval = .seconds(0), staleIfError: RxTimeInterval = .seconds(0),
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
  ) -> Single<Element> {
    let times = CacheTimes(
      lifetime: lifetime, staleWhileRevalidate: staleWhileRevalidate, staleIfError: staleIfError)
    let source = asObservable()
    return Single.deferred {
      scope.single(of: key) { SingleCache(source, times, in: nil, scheduler, onUnused: $0) }
    }
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
