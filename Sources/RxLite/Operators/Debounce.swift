public import Dispatch
public import ReactiveNetworkLock

extension ObservableType {
  /// Forwards an element when no other has followed it within a time span.
  ///
  /// The latest element is held and arrives on the scheduler's thread. Completion forwards it at once; an
  /// error drops it. The source is disposed as soon as it ends.
  ///
  /// - Parameters:
  ///   - dueTime: the span without another element.
  ///   - scheduler: measures the time.
  /// - Returns: the debounced sequence.
  @inlinable public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<
    Element
  > {
    let source = asObservable().source
    return Observable { observer in
      let machine = OperatorStateMachine(DebounceState<Element>(), observer)
      let timer = RestartableTimer(dueTime, on: scheduler) { generation in
        machine.decide { $0.endSilence(generation, &$1) }
        return nil
      }
      let subscription = SingleAssignmentDisposable()
      subscription.setDisposable(
        source(
          observer.calling { event in
            if let generation = machine.decide({ $0.receive(event, &$1) }).generation {
              timer.start(generation)
            }
            if event.isStopEvent { subscription.dispose() }
          }))
      return Disposables.create(machine, subscription, timer)
    }
  }
}

@usableFromInline struct DebounceState<Element> {
  @usableFromInline typealias Output = OperatorStateMachine<Self, Element>.Output

  @usableFromInline var waiting: Element?
  @usableFromInline var generation: UInt64 = 0

  @inlinable init() {}

  /// Returns the generation whose timer to start, if any, and the replaced element.
  @inlinable mutating func receive(
    _ event: Event<Element>, _ output: inout Output
  ) -> (generation: UInt64?, replaced: Element?) {
    let former = waiting
    switch event {
    case .next(let element):
      waiting = element
      generation &+= 1
      return (generation, former)
    case .error:
      waiting = nil
      output.append(event)
    case .completed:
      waiting = nil
      if let former { output.append(.next(former)) }
      output.append(event)
    }
    return (nil, former)
  }

  @inlinable mutating func endSilence(_ generation: UInt64, _ output: inout Output) {
    guard generation == self.generation, let element = waiting.take() else { return }
    output.append(.next(element))
  }
}
