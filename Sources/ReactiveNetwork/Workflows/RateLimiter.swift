import ReactiveNetworkLock
import RxLite

/// The permits of `throttleRequests(max:per:)`, each of which becomes free again one time span after its use.
///
/// Timers return them, so setting the system's clock has no effect. At most one subscriber waits at a time.
final class RateLimiter: Sendable {
  private struct State {
    var free: Int
    var waiting: AnyObserver<Void>?
    /// The number of elements that have arrived but have no permit yet, including the one of `waiting`.
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

  /// Stops the timers and releases the waiting subscriber.
  func end() {
    timers.dispose()
    let waiting = state.withLock { $0.waiting.take() }
    withExtendedLifetime(waiting) {}
  }

  /// Counts an arriving element; returns `false` if the element would have to wait and the queue is full.
  func admit(_ maxWaiting: Int) -> Bool {
    state.withLock { state in
      guard state.free > state.waitingCount || state.waitingCount < maxWaiting else { return false }
      state.waitingCount += 1
      return true
    }
  }

  /// Sends an element and completes when the subscriber has a permit.
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
    // The timer starts before the delivery, which may take time.
    let timer = SingleAssignmentDisposable()
    if let key = timers.insert(timer) {
      timer.setDisposable(
        scheduler.scheduleRelative(key, dueTime: span) { [weak self] key in
          self?.returnPermit(key)
          return Disposables.create()
        })
    }
    observer.onNext(())
    observer.onCompleted()
  }

  private func returnPermit(_ key: CompositeDisposable.DisposeKey) {
    timers.remove(for: key)
    let next = state.withLock { state in
      let next = state.waiting.take()
      if next == nil { state.free += 1 } else { state.waitingCount -= 1 }
      return next
    }
    if let next { start(next) }
  }
}
