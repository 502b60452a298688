public import Dispatch

extension ObservableType {
  /// Delays elements and completion by a fixed time.
  ///
  /// Elements are held, without limit, and arrive on the scheduler's thread. An error is forwarded at once
  /// and drops the held elements. The source is disposed as soon as it ends.
  ///
  /// - Parameters:
  ///   - dueTime: the delay.
  ///   - scheduler: measures the time.
  /// - Returns: the delayed sequence.
  @inlinable public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element>
  {
    let source = asObservable().source
    let isBatching = scheduler.isBatching
    return Observable { observer in
      let machine = OperatorStateMachine(
        DelayState<Element>(dueTime: dueTime, isBatching: isBatching), observer)
      let subscription = SingleAssignmentDisposable()
      let timer = SerialDisposable()

      func decide<Result>(
        _ decision: (inout DelayState<Element>, RxTime, inout DelayState<Element>.Output) -> Result
      ) -> Result {
        var changes: Int?
        while true {
          let now = scheduler.now
          let result = machine.decide { state, output -> Result? in
            if state.clock.mayBeStale(now, since: changes) {
              changes = state.clock.changes
              return nil
            }
            return decision(&state, now, &output)
          }
          if let result { return result }
        }
      }

      func fire(_: Void, _ recurse: (Void, RxTimeInterval) -> Void) {
        decide { $0.release($1, &$2) }
        // The deliveries may have taken time.
        if let wait = decide({ state, now, _ in state.nextWait(now) }) { recurse((), wait) }
      }

      subscription.setDisposable(
        source(
          observer.calling { event in
            if event.isStopEvent { subscription.dispose() }
            guard decide({ $0.receive(event, at: $1, &$2) }).startsTimer else { return }
            timer.disposable = scheduler.scheduleRecursive((), dueTime: dueTime, action: fire)
          }))
      return Disposables.create(subscription, timer)
    }
  }
}

@usableFromInline struct DelayState<Element> {
  @usableFromInline typealias Output = OperatorStateMachine<Self, Element>.Output
  @usableFromInline typealias HeldEvents = Queue<(arrival: RxTime, event: Event<Element>)>

  @usableFromInline let dueTime: RxTimeInterval
  @usableFromInline let isBatching: Bool
  @usableFromInline var held = HeldEvents()
  @usableFromInline var isTimerRunning = false
  @usableFromInline var clock = SteadyTime()

  @inlinable init(dueTime: RxTimeInterval, isBatching: Bool) {
    self.dueTime = dueTime
    self.isBatching = isBatching
  }

  @inlinable mutating func receive(
    _ event: Event<Element>, at now: RxTime, _ output: inout Output
  ) -> (startsTimer: Bool, dropped: HeldEvents?) {
    if case .error = event {
      defer { held = HeldEvents() }
      output.emit(event)
      return (false, held)
    }
    held.append((clock.time(now), event))
    defer { isTimerRunning = true }
    return (!isTimerRunning, nil)
  }

  /// Emits the first event, whose timer has fired; on a batching scheduler, also all others that are due.
  @inlinable mutating func release(_ now: RxTime, _ output: inout Output) {
    let (arrival, dueTime) = (held.first?.arrival, dueTime)
    let now = clock.time(now, notBefore: arrival.flatMap(dueTime.end(from:)))
    repeat {
      guard let first = held.popFirst() else { return }
      output.emit(first.event)
    } while isBatching && held.first.map { dueTime.remaining(from: $0.arrival, to: now) == nil } ?? false
  }

  /// Returns the time until the next event, or `nil` to stop the timer.
  @inlinable mutating func nextWait(_ now: RxTime) -> RxTimeInterval? {
    isTimerRunning = !held.isEmpty
    guard let first = held.first else { return nil }
    return dueTime.remaining(from: first.arrival, to: clock.time(now)) ?? .nanoseconds(0)
  }
}
