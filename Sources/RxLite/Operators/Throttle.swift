public import Dispatch
public import ReactiveNetworkLock

extension ObservableType {
  /// Forwards at most one element in each time span.
  ///
  /// The first element is forwarded at once, on the thread it arrives on. The latest of the elements that
  /// follow within the span is held and forwarded at the end of the span, on the scheduler's thread, or on
  /// the source's thread if that is still delivering. Completion waits for the held element; an error drops
  /// it. The source is disposed as soon as it ends.
  ///
  /// - Parameters:
  ///   - dueTime: the span, measured from the end of the delivery of an element.
  ///   - latest: whether the latest element is forwarded at the end of the span; otherwise nothing is held.
  ///   - scheduler: measures the time.
  /// - Returns: the throttled sequence.
  @inlinable public func throttle(
    _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
  ) -> Observable<Element> {
    let source = asObservable().source
    let clock = scheduler.spanClock
    return Observable { observer in
      let machine = OperatorStateMachine(
        ThrottleState<Element>(dueTime: dueTime, holdsLatest: latest), observer)
      let timer = SerialDisposable()

      // The span is measured from the end of the delivery, which gives a slow observer time.
      func markSent() {
        let now = clock()
        machine.decide { state, _ in state.lastSent = now }
      }

      func endSpan(_ generation: UInt64) -> any Disposable {
        let now = clock()
        if machine.decide({ $0.endSpan(generation, now, &$1) }) { markSent() }
        return Disposables.create()
      }

      let subscription = SingleAssignmentDisposable()
      subscription.setDisposable(
        source(
          observer.calling { event in
            let now = clock()
            switch machine.decide({ $0.receive(event, at: now, &$1) }).action {
            case .nothing: break
            case .markSent: markSent()
            case .wait(let span, let generation):
              let end = SingleAssignmentDisposable()
              timer.disposable = end
              end.setDisposable(
                scheduler.scheduleRelative(generation, dueTime: span, action: uncheckedSendable(endSpan)))
            }
            if event.isStopEvent { subscription.dispose() }
          }))
      return Disposables.create(machine, subscription, timer)
    }
  }
}

@usableFromInline struct ThrottleState<Element> {
  @usableFromInline typealias Output = OperatorStateMachine<Self, Element>.Output

  @usableFromInline enum Action {
    case nothing
    case markSent
    case wait(RxTimeInterval, generation: UInt64)
  }

  @usableFromInline let dueTime: RxTimeInterval
  @usableFromInline let holdsLatest: Bool
  @usableFromInline var lastSent: RxTime?
  @usableFromInline var held: Element?
  // Counts the timers, because a timer that fires late must not release a later element than its own.
  @usableFromInline var generation: UInt64 = 0
  @usableFromInline var isCompleted = false

  @inlinable init(dueTime: RxTimeInterval, holdsLatest: Bool) {
    self.dueTime = dueTime
    self.holdsLatest = holdsLatest
  }

  @inlinable mutating func receive(
    _ event: Event<Element>, at now: RxTime, _ output: inout Output
  ) -> (action: Action, replaced: Element?) {
    let former = held
    switch event {
    case .next(let element):
      // If the clock was set back, the span begins again; otherwise elements would be dropped until the clock
      // has caught up.
      if let sent = lastSent, now < sent { lastSent = now }
      guard let rest = lastSent.flatMap({ dueTime.remaining(from: $0, to: now) }) else {
        held = nil
        lastSent = now
        output.append(event)
        return (.markSent, former)
      }
      guard holdsLatest else { return (.nothing, former) }
      held = element
      guard former == nil else { return (.nothing, former) }
      generation &+= 1
      return (.wait(rest, generation: generation), nil)
    case .error:
      held = nil
      output.append(event)
    case .completed:
      if former == nil { output.append(event) } else { isCompleted = true }
    }
    return (.nothing, former)
  }

  /// Returns whether an element was sent.
  @inlinable mutating func endSpan(_ generation: UInt64, _ now: RxTime, _ output: inout Output) -> Bool {
    guard generation == self.generation, let element = held.take() else { return false }
    lastSent = now
    output.append(.next(element))
    if isCompleted { output.append(.completed) }
    return true
  }
}
