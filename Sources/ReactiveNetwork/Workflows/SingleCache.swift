import Foundation
import NetworkCore
import ReactiveNetworkLock
import RxLite

/// The element that `cached(for:)` caches, or the run of the source that will send one.
final class SingleCache<Element>: EmptiableCache, Sendable {
  private struct CachedElement {
    let element: Element
    /// The run that has sent it.
    let number: Int
    let stored: RxTime
    let timer: SerialDisposable
    /// The age in seconds that the timer has measured so far: the clock may have been set back.
    var leastAge: TimeInterval = 0

    /// Returns whether the element is younger than some seconds.
    func isYounger(than seconds: TimeInterval, at now: RxTime) -> Bool {
      max(leastAge, now.timeIntervalSince(stored)) < seconds
    }
  }

  /// The sequence that the subscribers share until the source has ended.
  private struct Run {
    let number: Int
    let elements: Observable<Element>
    /// The number of its subscribers; the run is released when the last one leaves.
    var users = 0
    /// The subscription in the background, with which it continues without others.
    var revalidation: SingleAssignmentDisposable?
  }

  private struct State {
    var cached: CachedElement?
    var run: Run?
    /// Identifies the latest run, so that a run from before `empty()` caches nothing.
    var number = 0
  }

  private enum Answer {
    case element(Element)
    case revalidation(Run)
    case resultOrStale(Run, number: Int)
    case result(Run)
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
  /// element, so there is never a second run. The caller must subscribe to the single, once.
  func current() -> Single<Element> {
    let now = scheduler.now
    let (answer, released) = state.withLock { state in
      var released: (expired: CachedElement?, run: Run?) = (nil, nil)
      return (self.answer(at: now, &state, &released), released)
    }
    released.expired?.timer.dispose()
    released.run?.revalidation?.dispose()
    switch answer {
    case .element(let element): return .just(element)
    case .revalidation(let run):
      // It continues when this subscriber has left.
      run.revalidation?.setDisposable(elements(of: run).subscribe(onError: { _ in }))
      // If the cache was emptied meanwhile, the element may be that of another user.
      let element = state.withLock { $0.cached.flatMap { $0.number <= run.number ? $0.element : nil } }
      guard let element else { return run.elements.asSingle() }
      return .just(element)
    case .resultOrStale(let run, let number): return resultOrStale(of: run, number)
    case .result(let run): return elements(of: run).asSingle()
    }
  }

  /// Decides what a subscriber gets; `released` is what the cache no longer keeps.
  private func answer(
    at now: RxTime, _ state: inout State, _ released: inout (expired: CachedElement?, run: Run?)
  ) -> Answer {
    if let cached = state.cached {
      if cached.isYounger(than: times.fresh, at: now) { return .element(cached.element) }
      if cached.isYounger(than: times.usableWhileRevalidating, at: now) {
        guard state.run?.revalidation == nil else { return .element(cached.element) }
        return .revalidation(join(&state, isRevalidating: true))
      }
    }
    // A run that only the background subscribes to may never end, so it is not joined, but ended.
    if let run = state.run, run.revalidation != nil, run.users == 1 { released.run = state.run.take() }
    if let cached = state.cached {
      if cached.isYounger(than: times.usableIfError, at: now) {
        return .resultOrStale(join(&state), number: cached.number)
      }
    }
    released.expired = state.cached.take()
    return .result(join(&state))
  }

  /// Releases the element and leaves the run to its subscribers.
  func empty() {
    let (cached, run) = state.withLock { state in
      state.number += 1
      return (state.cached.take(), state.run.take())
    }
    cached?.timer.dispose()
    // The former user's credentials must not be used for longer than subscribers need them.
    run?.revalidation?.dispose()
    onUnused()
  }

  /// Adds a subscriber to the run, which is created if there is none.
  private func join(_ state: inout State, isRevalidating: Bool = false) -> Run {
    var run = state.run ?? makeRun(state.number + 1)
    run.users += 1
    if isRevalidating { run.revalidation = SingleAssignmentDisposable() }
    state.number = run.number
    state.run = run
    return run
  }

  private func makeRun(_ number: Int) -> Run {
    let elements =
      source
      .do(
        onNext: { [weak self] in self?.store($0, of: number) },
        onError: { [weak self] _ in self?.removeRun(number) }
      )
      .share(replay: 1, scope: .forever)
    return Run(number: number, elements: elements)
  }

  /// Returns the elements of a run for a subscriber that has joined it.
  private func elements(of run: Run) -> Observable<Element> {
    let number = run.number
    return run.elements.do(onDispose: { [weak self] in self?.leaveRun(number) })
  }

  /// Removes a subscriber from a run, and the run with the last one: also if the source was never started.
  private func leaveRun(_ number: Int) {
    let run = state.withLock { state -> Run? in
      guard state.run?.number == number else { return nil }
      state.run?.users -= 1
      return state.run?.users == 0 ? state.run.take() : nil
    }
    if run != nil { onUnused() }
  }

  private func store(_ element: Element, of number: Int) {
    // Like the error of a filter: the next subscriber asks again.
    guard (element as? Response)?.failure == nil else { return removeRun(number) }
    let timer = SerialDisposable()
    let cached = CachedElement(element: element, number: number, stored: scheduler.now, timer: timer)
    let (isStored, former, run) = state.withLock { state -> (Bool, CachedElement?, Run?) in
      guard state.number == number else { return (false, nil, nil) }
      defer { state.cached = cached }
      return (true, state.cached, state.run.take())
    }
    withExtendedLifetime(run) {}
    guard isStored else { return }
    former?.timer.dispose()
    let ages = [times.fresh, times.usableWhileRevalidating, times.usableIfError].sorted()
    measureAge(of: number, ages[...], from: 0, timer)
  }

  /// Notes when the element has reached each of some ages, and removes it at the last.
  private func measureAge(
    of number: Int, _ ages: ArraySlice<TimeInterval>, from present: TimeInterval, _ timer: SerialDisposable
  ) {
    guard let next = ages.first else { return removeElement(of: number) }
    // Set before scheduling, because the action may set its successor before `scheduleRelative` returns.
    let wait = SingleAssignmentDisposable()
    timer.disposable = wait
    let dueTime: RxTimeInterval = next == .infinity ? .never : .inSeconds(next - present)
    let work = scheduler.scheduleRelative((), dueTime: dueTime) { [weak self] in
      self?.state.withLock { state in
        if state.cached?.number == number { state.cached?.leastAge = next }
      }
      // Equal ages are reached together.
      self?.measureAge(of: number, ages.drop { $0 <= next }, from: next, timer)
      return Disposables.create()
    }
    wait.setDisposable(work)
  }

  private func removeElement(of number: Int) {
    // Released outside the lock.
    let cached = state.withLock { $0.cached?.number == number ? $0.cached.take() : nil }
    withExtendedLifetime(cached) {}
    onUnused()
  }

  private func removeRun(_ number: Int) {
    let run = state.withLock { $0.run?.number == number ? $0.run.take() : nil }
    withExtendedLifetime(run) {}
    onUnused()
  }

  /// Returns the result of a run, with a stale element in place of a failure while that is allowed.
  ///
  /// - Parameters:
  ///   - run: the run.
  ///   - number: the run that has sent the stale element.
  /// - Returns: the result.
  private func resultOrStale(of run: Run, _ number: Int) -> Single<Element> {
    elements(of: run).asSingle()
      .map { element in isFailed(element) ? self.substitute(number) ?? element : element }
      .catch { error in
        guard isServerFailure(error), let element = self.substitute(number) else { return .error(error) }
        return .just(element)
      }
  }

  /// Returns the element to send in place of a failure; `nil` if it is too old, or the cache has been emptied.
  ///
  /// The element of a later run may be that of another user, who has signed in since.
  private func substitute(_ number: Int) -> Element? {
    let now = scheduler.now
    return state.withLock { state in
      guard let cached = state.cached, cached.number == number,
        cached.isYounger(than: times.usableIfError, at: now)
      else { return nil }
      return cached.element
    }
  }
}

/// Returns whether an element is a response that a retry would repeat.
private func isFailed(_ element: Any) -> Bool {
  (element as? Response)?.failure?.isTransient == true
}

/// Returns whether an error says that the server or the way to it has failed for now, or is spared for that reason.
private func isServerFailure(_ error: any Error) -> Bool {
  error.isRefusal || (error as? NetworkError)?.isTransient == true
}
