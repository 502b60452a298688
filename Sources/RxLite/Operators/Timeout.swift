public import Dispatch
public import ReactiveNetworkLock

extension ObservableType {
  /// Fails with `RxError.timeout` if the next event takes too long.
  ///
  /// - Parameters:
  ///   - dueTime: the longest time from the subscription or an element to the next event.
  ///   - scheduler: measures the time; the error arrives on its thread.
  /// - Returns: the sequence with the time limit.
  public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    let failure = Observable<Element> { observer in
      observer.onError(RxError.timeout)
      return Disposables.create()
    }
    return timeout(dueTime, other: failure, scheduler: scheduler)
  }

  /// Switches to another sequence if the next event takes too long.
  ///
  /// - Parameters:
  ///   - dueTime: the longest time from the subscription or an element to the next event.
  ///   - other: subscribed to when the time is up, on the scheduler's thread. The limit does not apply to it.
  ///   - scheduler: measures the time.
  /// - Returns: the sequence with the time limit. The source is disposed after the subscription to the other
  ///   sequence.
  @inlinable public func timeout<Source: ObservableConvertibleType>(
    _ dueTime: RxTimeInterval, other: Source, scheduler: any SchedulerType
  ) -> Observable<Element> where Source.Element == Element {
    let source = asObservable().source
    let other = other.asObservable().source
    return Observable { observer in
      // The lock decides whether the next event or the timer came first. No timer runs while an element is
      // delivered, so the other sequence cannot overtake the element.
      let state = Lock(TimeoutState())
      let original = SingleAssignmentDisposable()
      let fallback = SingleAssignmentDisposable()
      let timer = RestartableTimer(dueTime, on: scheduler) { generation in
        guard state.withLock({ $0.timeUp(generation) }) else { return nil }
        Trampoline.run { fallback.setDisposable(other(observer)) }
        original.dispose()
        return nil
      }
      timer.start(0)
      original.setDisposable(
        source(
          observer.calling { event in
            guard state.withLock({ $0.eventArrived() }) else { return }
            observer.on(event)
            if !event.isStopEvent { timer.start(state.withLock { $0.generation }) }
          }))
      return Disposables.create(original, fallback, timer)
    }
  }
}

@usableFromInline struct TimeoutState {
  @usableFromInline var generation: UInt64 = 0
  @usableFromInline var isTimeUp = false

  @inlinable init() {}

  @inlinable mutating func eventArrived() -> Bool {
    guard !isTimeUp else { return false }
    generation &+= 1
    return true
  }

  @inlinable mutating func timeUp(_ generation: UInt64) -> Bool {
    guard generation == self.generation, !isTimeUp else { return false }
    isTimeUp = true
    return true
  }
}
