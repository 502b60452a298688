import Foundation
import NetworkCore
import ReactiveNetworkLock
import RxLite

/// The element that `cached(for:)` caches, or the run of the source that will send one.
final class SingleCache<Element>: ScopedCache, Sendable {
  private struct CachedElement {
    let element: Element
    /// The run that has sent it.
    let number: Int
    let freshUntil: RxTime
    let timer: SingleAssignmentDisposable

    /// Returns whether the element may still be used, given how long it may be stale.
    func isUsable(at now: RxTime, for stale: RxTimeInterval) -> Bool {
      now < freshUntil.addingTimeInterval(stale.inSeconds)
    }
  }

  private struct State {
    var cached: CachedElement?
    /// The sequence that the subscribers share until the source has ended.
    var run: Observable<Element>?
    /// Identifies the run, so that a run from before `empty()` caches nothing.
    var number = 0
  }

  private enum Answer {
    case fresh(Element)
    case run(Observable<Element>, stale: CachedElement?, expired: CachedElement?)
  }

  private let state = Lock(State())
  private let source: Observable<Element>
  private let times: CacheTimes
  private let scope: CacheScope?
  private let scheduler: any SchedulerType
  /// Called when the cache may have become unused.
  private let onUnused: @Sendable () -> Void

  init(
    _ source: Observable<Element>, _ times: CacheTimes, in scope: CacheScope?, _ scheduler: any SchedulerType,
    onUnused: @escaping @Sendable () -> Void = {}
  ) {
    self.source = source
    self.times = times
    self.scope = scope
    self.scheduler = scheduler
    self.onUnused = onUnused
    scope?.add(self)
  }

  deinit {
    scope?.remove(ObjectIdentifier(self))
    state.withLock { $0.cached.take() }?.timer.dispose()
  }

  /// Whether the cache has neither an element nor a run.
  var isUnused: Bool { state.withLock { $0.cached == nil && $0.run == nil } }

  /// Returns the cached element, or else the run, which is created if there is none.
  ///
  /// The decision is made once, under the lock: a run that ends before the caller subscribes replays its
  /// element, so there is never a second run.
  func current() -> Single<Element> {
    let now = scheduler.now
    let answer = state.withLock { state -> Answer in
      if let cached = state.cached, now < cached.freshUntil { return .fresh(cached.element) }
      let isUsable = state.cached?.isUsable(at: now, for: times.longestStale) ?? false
      let expired = isUsable ? nil : state.cached.take()
      let run = state.run ?? self.run(state.number + 1)
      if state.run == nil { state.number += 1 }
      state.run = run
      return .run(run, stale: state.cached, expired: expired)
    }
    switch answer {
    case .fresh(let element): return .just(element)
    case .run(let run, let stale, let expired):
      expired?.timer.dispose()
      guard let stale else { return run.asSingle() }
      guard stale.isUsable(at: now, for: times.staleWhileRevalidate) else {
        return resultOrStale(of: run)
      }
      // It goes on when this subscriber has left.
      _ = run.subscribe(onError: { _ in })
      return .just(stale.element)
    }
  }

  /// Releases the element and leaves the run to its subscribers.
  func empty() {
    let (cached, run) = state.withLock { state in
      state.number += 1
      return (state.cached.take(), state.run.take())
    }
    cached?.timer.dispose()
    withExtendedLifetime(run) {}
    onUnused()
  }

  private func run(_ number: Int) -> Observable<Element> {
    source
      .do(
        onNext: { [weak self] in self?.store($0, of: number) },
        onError: { [weak self] _ in self?.removeRun(number) },
        onDispose: { [weak self] in self?.removeRun(number) }
      )
      .share(replay: 1, scope: .forever)
  }

  private func store(_ element: Element, of number: Int) {
    // Like an error: the next subscriber asks again.
    guard !isFailed(element) else { return removeRun(number) }
    let timer = SingleAssignmentDisposable()
    let cached = CachedElement(
      element: element, number: number,
      freshUntil: scheduler.now.addingTimeInterval(times.lifetime.inSeconds),
      timer: timer)
    let (isStored, former, run) = state.withLock { state -> (Bool, CachedElement?, Observable<Element>?) in
      guard state.number == number else { return (false, nil, nil) }
      defer { state.cached = cached }
      return (true, state.cached, state.run.take())
    }
    withExtendedLifetime(run) {}
    guard isStored else { return }
    former?.timer.dispose()
    timer.setDisposable(
      scheduler.scheduleRelative((), dueTime: times.total) { [weak self] in
        self?.removeElement(of: number)
        return Disposables.create()
      })
  }

  private func removeElement(of number: Int) {
    // Released outside the lock.
    let cached = state.withLock { $0.cached?.number == number ? $0.cached.take() : nil }
    withExtendedLifetime(cached) {}
    onUnused()
  }

  private func removeRun(_ number: Int) {
    let run = state.withLock { $0.number == number ? $0.run.take() : nil }
    withExtendedLifetime(run) {}
    onUnused()
  }

  /// Returns the result of a run, with the stale element in place of a failure while that is allowed.
  private func resultOrStale(of run: Observable<Element>) -> Single<Element> {
    run.asSingle()
      .map { element in isFailed(element) ? self.substitute() ?? element : element }
      .catch { error in
        guard isServerFailure(error), let element = self.substitute() else { return .error(error) }
        return .just(element)
      }
  }

  /// Returns the element to send in place of a failure; `nil` if it is too old, or the cache has been emptied.
  private func substitute() -> Element? {
    let now = scheduler.now
    return state.withLock { state in
      state.cached.flatMap { $0.isUsable(at: now, for: times.staleIfError) ? $0.element : nil }
    }
  }
}

/// Returns whether an element is a response that a retry would repeat.
private func isFailed(_ element: Any) -> Bool {
  (element as? Response)?.failure?.isTransient == true
}

/// Returns whether an error says that the server or the way to it has failed for now, or is spared for that reason.
private func isServerFailure(_ error: any Error) -> Bool {
  if error is CircuitOpenError || error is OverloadError { return true }
  guard let error = error as? NetworkError else { return false }
  return error.isTransient || error.transferError?.isRefusal == true
}
