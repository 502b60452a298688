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

  /// What a request does next.
  private enum Step {
    case end(Result<Void, any Error>)
    case wait(key: Int, newRefresh: Int?)
  }

  private struct State {
    /// The number of refreshes that have ended.
    var refreshCount = 0
    /// The error of the last refresh; `nil` if it succeeded.
    var failure: (any Error)?
    /// The requests that wait for the active refresh.
    var waiting: [Int: Single<Void>.SingleObserver] = [:]
    var nextKey = 0
    var isRefreshing = false
    /// The number of the refresh that began last.
    var number = 0

    /// Adds a request to the active refresh, or to a new one.
    mutating func wait(_ single: @escaping Single<Void>.SingleObserver) -> Step {
      nextKey += 1
      waiting[nextKey] = single
      if isRefreshing { return .wait(key: nextKey, newRefresh: nil) }
      isRefreshing = true
      number += 1
      return .wait(key: nextKey, newRefresh: number)
    }
  }

  private let state = Lock(State())
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

  var refreshCount: Int { state.withLock { $0.refreshCount } }

  /// Succeeds when the credential is newer than after the given number of refreshes.
  ///
  /// - Parameter refreshCount: the number; `nil` if any credential will do that is not being refreshed.
  /// - Returns: the single, which fails with the error of the refresh.
  func refreshed(since refreshCount: Int?) -> Single<Void> {
    Single.creating { context, single in
      let enclosing = context?.values(of: Refresh.self).first { $0.refresher === self }?.number
      let step = self.state.withLock { state -> Step in
        guard let refreshCount else {
          return state.isRefreshing && state.number != enclosing ? state.wait(single) : .end(.success(()))
        }
        if !state.isRefreshing, state.refreshCount > refreshCount {
          return .end(state.failure.map { .failure($0) } ?? .success(()))
        }
        if state.isRefreshing, state.number == enclosing {
          return .end(.failure(RefreshCycleError(refresher: "TokenRefresher")))
        }
        return state.wait(single)
      }
      switch step {
      case .end(let event):
        single(event)
        return Disposables.create()
      case .wait(let key, let number):
        if let number { self.begin(number) }
        return Disposables.create { _ = self.state.withLock { $0.waiting.removeValue(forKey: key) } }
      }
    }
  }

  private func begin(_ number: Int) {
    let error = RefreshTimeoutError(refresher: "TokenRefresher", seconds: longestRefresh.inSeconds)
    let refresh = Single.deferred { self.refresh() }
      .timeout(longestRefresh, other: .error(error), scheduler: scheduler).asObservable()
    _ = refresh.withContext { SubscriptionContext(Refresh(refresher: self, number: number), within: $0) }
      .subscribe(onNext: { self.end(nil) }, onError: { self.end($0) })
  }

  private func end(_ failure: (any Error)?) {
    let former = state.withLock { state in
      let former = state
      state.refreshCount += 1
      state.failure = failure
      state.waiting = [:]
      state.isRefreshing = false
      return former
    }
    let event = failure.map { Result<Void, any Error>.failure($0) } ?? .success(())
    // In the order of arrival.
    for (_, waiting) in former.waiting.sorted(by: { $0.key < $1.key }) { waiting(event) }
  }
}

extension PrimitiveSequence where Trait == SingleTrait {
  /// Refreshes the credential if the request is refused because of it, then sends the request again.
  ///
  /// A subscription during a refresh waits for that refresh, because the old credential would be refused.
  ///
  /// A POST or PATCH is not sent again if its server redirected it to a GET, and only that was refused: the server
  /// has acted on it. A `Response` with a status of 400 or more counts as `NetworkError.statusCode` although no
  /// filter has refused it.
  ///
  /// - Parameter refresher: refreshes the credential once for all requests that share it.
  /// - Returns: the single. If the refresh fails, it fails with the error of the refresh; after a second
  ///   refusal, with that refusal.
  public func refreshingToken(with refresher: TokenRefresher) -> Single<Element> {
    treatingFailuresAsErrors { source in
      refresher.refreshed(since: nil).flatMap {
        let refreshCount = refresher.refreshCount
        return source.catch { error in
          guard refresher.isRefusal(error), (error as? NetworkError)?.response?.mayRepeatRequest != false
          else {
            return .error(error)
          }
          return refresher.refreshed(since: refreshCount).flatMap { source }
        }
      }
    }
  }
}
