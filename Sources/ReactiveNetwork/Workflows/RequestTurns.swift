import Locking
import RxLite

/// The turns that `throttleRequests(max:per:)` gives: as many at once as there are, each of them again a span of time later.
///
/// Timers bring them back, so that no clock can be set. One subscriber at a time may wait.
final class RequestTurns {
  private struct State {
    var free: Int
    var waiting: AnyObserver<Void>?
    /// How many elements have come and have no turn yet, with the one of `waiting`.
    var waitingCount = 0
  }

  private let state: Lock<State>
  private let span: RxTimeInterval
  private let scheduler: any SchedulerType
  private let timers = CompositeDisposable()

  init(_ count: Int, per span: RxTimeInterval, _ scheduler: any SchedulerType) {
    self.state = Lock(State(free: count))
    self.span = span
    self.scheduler = scheduler
  }

  /// Stops the timers and forgets the subscriber that waits.
  func end() {
    timers.dispose()
    let waiting = state.withLock { $0.waiting.take() }
    withExtendedLifetime(waiting) {}
  }

  /// Counts an element that comes; returns `false` if it would have to wait though as many wait as may.
  func mayWait(_ maxWaiting: Int) -> Bool {
    state.withLock { state in
      guard state.free > state.waitingCount || state.waitingCount < maxWaiting else { return false }
      state.waitingCount += 1
      return true
    }
  }

  /// Completes with an element when the subscriber's turn has come.
  func next() -> Observable<Void> {
    Observable.create { observer in
      let isFree = self.state.withLock { state in
        guard state.free == 0 else {
          state.free -= 1
          state.waitingCount -= 1
          return true
        }
        state.waiting = observer
        return false
      }
      if isFree { self.start(observer) }
      return Disposables.create()
    }
  }

  private func start(_ observer: AnyObserver<Void>) {
    // Before the delivery, which may take time.
    let timer = SingleAssignmentDisposable()
    if let key = timers.insert(timer) {
      timer.setDisposable(
        scheduler.scheduleRelative(key, dueTime: span) { [weak self] key in
          self?.returnTurn(key)
          return Disposables.create()
        })
    }
    observer.onNext(())
    observer.onCompleted()
  }

  private func returnTurn(_ key: CompositeDisposable.DisposeKey) {
    timers.remove(for: key)
    let next = state.withLock { state in
      let next = state.waiting.take()
      if next == nil { state.free += 1 } else { state.waitingCount -= 1 }
      return next
    }
    if let next { start(next) }
  }
}
