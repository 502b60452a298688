import Locking
public import NetworkCore
public import RxLite

/// Renews a credential once for all requests that were refused because of it.
///
/// ```swift
/// let refresher = TokenRefresher { auth.rx.request(.refresh).map(Token.self).map { store($0) } }
/// provider.rx.request(.profile)
///   .filterSuccessfulStatusCodes()
///   .refreshingToken(with: refresher)
/// ```
///
/// Requests that are refused while a renewal runs wait for that one. A request that was sent before the last renewal and is
/// refused after it needs none: it is sent again where the renewal has succeeded, and fails with the renewal's error otherwise.
/// When all who wait have been disposed, the renewal is, too.
///
/// Requests of the renewal itself go without `refreshingToken(with:)` of this refresher. A request that has it, is subscribed to while the
/// renewal begins or in a task of it, and is refused, would wait for the renewal that waits for it: it fails with `RefreshCycleError`,
/// and so does the renewal. A request that is subscribed to later, on some scheduler, is not recognized, and waits.
public final class TokenRefresher: Sendable {
  private struct State {
    /// How many renewals have ended.
    var round = 0
    /// Why the last one failed.
    var failure: (any Error)?
    /// Who waits for the renewal that runs.
    var waiting: [Int: PrimitiveSequence<CompletableTrait, Never>.CompletableObserver] = [:]
    var nextKey = 0
    var renewal: SingleAssignmentDisposable?
    /// The number of the renewal that began last.
    var number = 0
  }

  private let state = Lock(State())
  private let refresh: @Sendable () -> Single<Void>
  let isRefusal: @Sendable (any Error) -> Bool

  /// Makes a refresher; it may serve several providers.
  ///
  /// - Parameters:
  ///   - isRefusal: whether an error means that the credential has run out: status 401 unless said otherwise.
  ///   - refresh: renews the credential and stores it, so that the next request finds it. Called on the thread that reports
  ///     the first refusal, never twice at the same time.
  public init(
    isRefusal: @escaping @Sendable (any Error) -> Bool = {
      ($0 as? NetworkError)?.response?.statusCode == 401
    },
    refresh: @escaping @Sendable () -> Single<Void>
  ) {
    self.isRefusal = isRefusal
    self.refresh = refresh
  }

  var round: Int { state.withLock { $0.round } }

  /// Completes when the credential is newer than it was in a round.
  ///
  /// `cycle` is the number of the renewal that the request belongs to; `nil` for none.
  func renewal(since round: Int, within cycle: Int?) -> Completable {
    Completable.create { completable in
      enum Step {
        case end(CompletableEvent)
        case wait(key: Int, begin: (renewal: SingleAssignmentDisposable, number: Int)?)
      }
      let step = self.state.withLock { state -> Step in
        if state.renewal == nil, state.round > round {
          return .end(state.failure.map { .error($0) } ?? .completed)
        }
        if state.renewal != nil, state.number == cycle {
          return .end(.error(RefreshCycleError(refresher: "TokenRefresher")))
        }
        state.nextKey += 1
        state.waiting[state.nextKey] = completable
        let new = state.renewal == nil ? SingleAssignmentDisposable() : nil
        if let new {
          state.renewal = new
          state.number += 1
        }
        return .wait(key: state.nextKey, begin: new.map { ($0, state.number) })
      }
      switch step {
      case .end(let event):
        completable(event)
        return Disposables.create()
      case .wait(let key, let new):
        if let new { RunningRefresh.run(of: self, number: new.number) { self.begin(new.renewal) } }
        return Disposables.create { self.leave(key) }
      }
    }
  }

  private func begin(_ renewal: SingleAssignmentDisposable) {
    renewal.setDisposable(
      Single.deferred { self.refresh() }
        .subscribe(
          onSuccess: { self.end(renewal, nil) },
          onFailure: { self.end(renewal, $0) }))
  }

  private func end(_ renewal: SingleAssignmentDisposable, _ failure: (any Error)?) {
    let former = state.withLock { state -> State? in
      guard state.renewal === renewal else { return nil }
      let former = state
      state.round += 1
      state.failure = failure
      state.waiting = [:]
      state.renewal = nil
      return former
    }
    guard let former else { return }
    let event = failure.map { CompletableEvent.error($0) } ?? .completed
    // In the order of asking.
    for (_, waiting) in former.waiting.sorted(by: { $0.key < $1.key }) { waiting(event) }
  }

  private func leave(_ key: Int) {
    let (left, abandoned) = state.withLock { state in
      let left = state.waiting.removeValue(forKey: key)
      guard left != nil, state.waiting.isEmpty else { return (left, SingleAssignmentDisposable?.none) }
      return (left, state.renewal.take())
    }
    _ = left
    abandoned?.dispose()
  }
}

extension PrimitiveSequence where Trait == SingleTrait {
  /// Has the credential renewed where the request is refused because of it, and sends the request once more.
  ///
  /// - Parameter refresher: renews the credential once for all requests that share it.
  /// - Returns: the single. A renewal that fails ends it with the renewal's error, a second refusal with that refusal.
  public func refreshingToken(with refresher: TokenRefresher) -> Single<Element> {
    Single.deferred {
      let round = refresher.round
      let cycle = RunningRefresh.number(of: refresher)
      return self.catch { error in
        guard refresher.isRefusal(error) else { return .error(error) }
        return refresher.renewal(since: round, within: cycle).andThen(self)
      }
    }
  }
}
