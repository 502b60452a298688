import Foundation
import NetworkCore
import ReactiveNetworkLock
import RxLite

/// The element that `cached(for:in:scheduler:)` caches, or the run of the source that will send one.
final class SingleCache<Element>: ScopedCache, Sendable {
  private struct CachedElement {
    let element: Element
    let until: RxTime
    let timer: SingleAssignmentDisposable
  }

  private struct State {
    var cached: CachedElement?
    /// The sequence that the subscribers share until the source has ended.
    var run: Observable<Element>?
    /// Identifies the run, so that a run from before `empty()` caches nothing.
    var number = 0
  }

  private let state = Lock(State())
  private let source: Observable<Element>
  private let lifetime: RxTimeInterval
  private let scope: CacheScope?
  private let scheduler: any SchedulerType

  init(
    _ source: Observable<Element>, for lifetime: RxTimeInterval, in scope: CacheScope?,
    _ scheduler: any SchedulerType
  ) {
    self.source = source
    self.lifetime = lifetime
    self.scope = scope
    self.scheduler = scheduler
    scope?.add(self)
  }

  deinit {
    scope?.remove(ObjectIdentifier(self))
    state.withLock { $0.cached.take() }?.timer.dispose()
  }

  /// Returns the cached element, or else the run, which is created if there is none.
  ///
  /// The decision is made once, under the lock: a run that ends before the caller subscribes replays its
  /// element, so there is never a second run.
  func current() -> Single<Element> {
    let now = scheduler.now
    let (single, expired) = state.withLock { state -> (Single<Element>, CachedElement?) in
      if let cached = state.cached, now < cached.until { return (.just(cached.element), nil) }
      let expired = state.cached.take()
      if let run = state.run { return (run.asSingle(), expired) }
      state.number += 1
      let run = self.run(state.number)
      state.run = run
      return (run.asSingle(), expired)
    }
    expired?.timer.dispose()
    return single
  }

  /// Releases the element and leaves the run to its subscribers.
  func empty() {
    let (cached, run) = state.withLock { state in
      state.number += 1
      return (state.cached.take(), state.run.take())
    }
    cached?.timer.dispose()
    withExtendedLifetime(run) {}
  }

  private func run(_ number: Int) -> Observable<Element> {
    source
      .do(
        onNext: { [weak self] in self?.store($0, of: number) },
        onError: { [weak self] _ in self?.removeRun(number) }
      )
      .share(replay: 1, scope: .forever)
  }

  private func store(_ element: Element, of number: Int) {
    // Like an error: the next subscriber asks again.
    if (element as? Response)?.failure?.isTransient == true { return removeRun(number) }
    let timer = SingleAssignmentDisposable()
    let cached = CachedElement(
      element: element, until: scheduler.now.addingTimeInterval(lifetime.inSeconds), timer: timer)
    let run = state.withLock { state -> Observable<Element>? in
      guard state.number == number else { return nil }
      defer { state.cached = cached }
      return state.run.take()
    }
    guard run != nil else { return }
    timer.setDisposable(
      scheduler.scheduleRelative((), dueTime: lifetime) { [weak self] in
        self?.removeElement(of: number)
        return Disposables.create()
      })
  }

  private func removeElement(of number: Int) {
    // Released outside the lock.
    let cached = state.withLock { $0.number == number ? $0.cached.take() : nil }
    withExtendedLifetime(cached) {}
  }

  private func removeRun(_ number: Int) {
    let run = state.withLock { $0.number == number ? $0.run.take() : nil }
    withExtendedLifetime(run) {}
  }
}
