import ReactiveNetworkLock
public import NetworkCore
public import RxLite

/// Refreshes a credential once for all requests that were refused because of it.
///
/// ```swift
/// let refresher = TokenRefresher { auth.rx.request(.refresh).map(Token.self).map { store($0) } }
/// provider.rx.request(.profile)
///   .filterSuccessfulStatusCodes()
///   .refreshingToken(with: refresher)
/// ```
///
/// Requests that are subscribed or refused during a refresh wait for that refresh, so 19 requests that begin
/// during a refresh are sent once each. They fail with its error if it fails. A request that was sent before the last
/// refresh and is refused after it starts no new one: it is sent again if the refresh succeeded, and
/// otherwise fails with the error of the refresh. A refresh goes on when all waiting requests have been
/// disposed, as `flatMapLatest` does between two of them: the server may have replaced the refresh token, and only
/// its response has the new one (RFC 9700, section 4.14.2).
///
/// The `AuthenticationInterceptor` of Alamofire also refreshes once for all requests, but they wait for it without
/// a limit. OkHttp calls an `Authenticator` for each refused response, and leaves sharing a refresh to it.
///
/// Do not apply `refreshingToken(with:)` of this refresher to the requests of the refresh itself, because a
/// request would wait for the refresh that waits for it. A request in the sequence of the refresh is
/// recognized, whichever threads that sequence uses: it does not wait, and if it is refused, it fails with
/// `RefreshCycleError`, and so does the refresh. One in a task that the refresh starts is not: it waits until `longestRefresh` ends the refresh.
public final class TokenRefresher: Sendable {
  /// The value in the context of a refresh, by which its own requests are recognized.
  private struct Refresh: SubscriptionRule {
    let refresher: TokenRefresher
    let number: Int

    func ruleForSharedSource(isForeign: Bool) -> (any SubscriptionRule)? { self }
  }

  private typealias State = RefreshState<Void, Single<Void>.SingleObserver>

  private let state = Lock(State(credential: ()))
  private let refresh: @Sendable () -> Single<Void>
  private let longestRefresh: RxTimeInterval
  private let scheduler: any SchedulerType
  let isRefusal: @Sendable (any Error) -> Bool

  /// Creates a refresher, which may serve several providers.
  ///
  /// - Parameters:
  ///   - isRefusal: whether an error means that the credential has expired; by default, whether the status is
  ///     401.
  ///   - longestRefresh: the longest time for a refresh, `.never` for no limit. A refresh that takes longer
  ///     is disposed and fails with `RefreshTimeoutError`, and so do the requests that wait for it.
  ///   - scheduler: measures that time; a virtual scheduler for tests.
  ///   - refresh: refreshes the credential and stores it for the next request. It is called on the thread
  ///     that reports the first refusal, and never twice at the same time.
  public init(
    isRefusal: @escaping @Sendable (any Error) -> Bool = {
      ($0 as? NetworkError)?.response?.statusCode == 401
    },
    longestRefresh: RxTimeInterval = .seconds(120),
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default),
    refresh: @escaping @Sendable () -> Single<Void>
  ) {
    self.isRefusal = isRefusal
    self.longestRefresh = longestRefresh
    self.scheduler = scheduler
    self.refresh = refresh
  }

  /// The version of the credential and the number of a request that begins now.
  func nextAttempt() -> (version: Int, number: UInt64) { state.withLock { $0.nextAttempt() } }

  /// Succeeds when the credential is newer than that of a refused attempt.
  ///
  /// - Parameter attempt: the attempt; `nil` if any credential will do that is not being refreshed.
  /// - Returns: the single, which fails with the error of the refresh.
  func refreshed(since attempt: (version: Int, number: UInt64)?) -> Single<Void> {
    Single.creating { context, single in
      let enclosing = context?.values(of: Refresh.self).first { $0.refresher === self }?.number
      let (step, key) = self.state.withLock { state -> (State.Step, Int?) in
        guard let enclosing, state.activeRefresh == enclosing else {
          return state.wait(expired: attempt?.version, attempt: attempt?.number, single)
        }
        let error = attempt.map { _ in RefreshCycleError(refresher: "TokenRefresher") }
        return (.resume([single], error.map { .failure($0) } ?? .success(())), nil)
      }
      self.perform(step)
      guard let key else { return Disposables.create() }
      return Disposables.create { _ = self.state.withLock { $0.removeWaiter(key) } }
    }
  }

  private func perform(_ step: State.Step) {
    switch step {
    case .wait: break
    case .resume(let waiters, let result): for waiter in waiters { waiter(result) }
    case .refresh(_, let number): begin(number)
    }
  }

  private func begin(_ number: Int) {
    let error = RefreshTimeoutError(refresher: "TokenRefresher", limit: Duration(longestRefresh))
    let refresh = Single.deferred { self.refresh() }
      .failing(with: error, after: longestRefresh, scheduler).asObservable()
    _ = refresh.withContext { SubscriptionContext(Refresh(refresher: self, number: number), within: $0) }
      .subscribe(onNext: { self.end(number, .success(())) }, onError: { self.end(number, .failure($0)) })
  }

  private func end(_ number: Int, _ result: Result<Void, any Error>) {
    let (step, replaced) = state.withLock { $0.finish(number, with: result) }
    // Releasing an error may run user code, so it is released outside the lock.
    withExtendedLifetime(replaced) {}
    perform(step)
  }
}

extension PrimitiveSequence where Trait == SingleTrait {
  /// Refreshes the credential if the request is refused because of it, then sends the request again.
  ///
  /// A subscription during a refresh waits for that refresh, because the old credential would be refused.
  ///
  /// A POST or PATCH is not sent again if its server redirected it to a GET, and only that was refused: the server
  /// has acted on it. Nor is anything sent again if the single has sent a body that can be read only once
  /// (`BodyStream.isRepeatable`), and no refresh begins. A `Response` with a status of 400 or more counts as
  /// `NetworkError.statusCode` although no filter has refused it.
  ///
  /// - Parameter refresher: refreshes the credential once for all requests that share it.
  /// - Returns: the single. If the refresh fails, it fails with the error of the refresh; after a second
  ///   refusal, with that refusal.
  public func refreshingToken(with refresher: TokenRefresher) -> Single<Element> {
    treatingFailuresAsErrors { source in
      refresher.refreshed(since: nil).flatMap {
        let (attempt, sent) = (refresher.nextAttempt(), EffectRecord())
        let recorded = source.asObservable().withContext { SubscriptionContext(sent, within: $0) }.asSingle()
        return recorded.catch { error in
          guard refresher.isRefusal(error), (error as? NetworkError)?.response?.mayRepeatRequest != false,
            !sent.own.methods.contains(where: \.isSentOnce)
          else {
            return .error(error)
          }
          return refresher.refreshed(since: attempt).flatMap { source }
        }
      }
    }
  }
}
