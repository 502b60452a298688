public import Dispatch
public import ReactiveNetworkLock

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
    let (clock, isBatching) = (scheduler.spanClock, scheduler.isDispatching)
    return Observable { observer in
      let machine = OperatorStateMachine(
        DelayState<Element>(dueTime: dueTime, isBatching: isBatching), observer)
      let subscription = SingleAssignmentDisposable()
      let timer = SerialDisposable()

      func fire(_: Void, _ recurse: (Void, RxTimeInterval) -> Void) {
        let now = clock()
        machine.decide { $0.release(now, &$1) }
        // The deliveries may have taken time.
        let later = clock()
        if let wait = machine.decide({ state, _ in state.nextWait(later) }) { recurse((), wait) }
      }

      subscription.setDisposable(
        source(
          observer.calling { event in
            if event.isStopEvent { subscription.dispose() }
            let now = clock()
            guard machine.decide({ $0.receive(event, at: now, &$1) }).startsTimer else { return }
            timer.disposable = scheduler.scheduleRecursive((), dueTime: dueTime, action: fire)
          }))
      return Disposables.create(machine, subscription, timer)
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
  /// When the event that was released last arrived.
  @usableFromInline var released: RxTime?

  @inlinable init(dueTime: RxTimeInterval, isBatching: Bool) {
    self.dueTime = dueTime
    self.isBatching = isBatching
  }

  @inlinable mutating func receive(
    _ event: Event<Element>, at now: RxTime, _ output: inout Output
  ) -> (startsTimer: Bool, dropped: HeldEvents?) {
    if case .error = event {
      defer { held = HeldEvents() }
      output.append(event)
      return (false, held)
    }
    held.append((now, event))
    defer { isTimerRunning = true }
    return (!isTimerRunning, nil)
  }

  /// Emits the first event, whose timer has fired; on a dispatch queue, also all others that are due.
  @inlinable mutating func release(_ now: RxTime, _ output: inout Output) {
    repeat {
      guard let first = held.popFirst() else { return }
      released = first.arrival
      output.append(first.event)
    } while isBatching && rest(now) == nil
  }

  /// Returns the time until the next event, or `nil` to stop the timer.
  @inlinable mutating func nextWait(_ now: RxTime) -> RxTimeInterval? {
    isTimerRunning = !held.isEmpty
    return isTimerRunning ? rest(now) ?? .nanoseconds(0) : nil
  }

  /// Returns the time until the first event is due; `nil` if there is none or if it is due.
  @inlinable func rest(_ now: RxTime) -> RxTimeInterval? {
    guard let arrival = held.first?.arrival else { return nil }
    // The timer has waited for the span of the released event, even if the scheduler's clock was set back
    // meanwhile. An event that seems to be older has arrived after that.
    let reached = released.flatMap { arrival < $0 ? nil : dueTime.end(from: $0) }
    return dueTime.remaining(from: arrival, to: max(now, reached ?? now))
  }
}
