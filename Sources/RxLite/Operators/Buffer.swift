public import Dispatch
import ReactiveNetworkLock

extension ObservableType {
  /// Collects elements in arrays, and sends an array when it is full or its time is up.
  ///
  /// A full array restarts the timer. When the time is up, and at completion, the current array is sent even
  /// if it is empty; an error drops it. The source is disposed as soon as it ends.
  ///
  /// - Parameters:
  ///   - timeSpan: the longest time before an array is sent.
  ///   - count: the number of elements of a full array; 0 or less sets no limit.
  ///   - scheduler: measures the time; arrays whose time is up arrive on its thread.
  /// - Returns: the sequence of arrays.
  public func buffer(
    timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
  ) -> Observable<[Element]> {
    let source = asObservable().source
    return Observable { observer in
      let machine = OperatorStateMachine(BufferState<Element>(count: count), observer)
      let timer = RestartableTimer(timeSpan, on: scheduler) { generation in
        machine.decide { $0.timeUp(generation, &$1) }
      }
      timer.start(0)
      let subscription = SingleAssignmentDisposable()
      subscription.setDisposable(
        source(
          observer.calling { event in
            // Disposed here, because the consumer may dispose the subscription only after a long delivery.
            if event.isStopEvent { timer.dispose() }
            if let next = machine.decide({ $0.receive(event, &$1) }).generation { timer.start(next) }
            if event.isStopEvent { subscription.dispose() }
          }))
      return Disposables.create(machine, timer, subscription)
    }
  }
}

private struct BufferState<Element> {
  typealias Output = OperatorStateMachine<Self, [Element]>.Output

  let count: Int
  private var buffered: [Element] = []
  private var generation: UInt64 = 0

  init(count: Int) {
    self.count = count
  }

  /// Returns the generation that begins, if any, and the dropped elements.
  mutating func receive(_ event: Event<Element>, _ output: inout Output) -> (
    generation: UInt64?, dropped: [Element]
  ) {
    switch event {
    case .next(let element):
      buffered.append(element)
      return (buffered.count == count ? nextGeneration(&output) : nil, [])
    case .error(let error):
      output.append(.error(error))
      defer { buffered = [] }
      return (nil, buffered)
    case .completed:
      output.append(.next(buffered))
      output.append(.completed)
      buffered = []
      return (nil, [])
    }
  }

  mutating func timeUp(_ generation: UInt64, _ output: inout Output) -> UInt64? {
    generation == self.generation ? nextGeneration(&output) : nil
  }

  private mutating func nextGeneration(_ output: inout Output) -> UInt64 {
    output.append(.next(buffered))
    buffered = []
    generation += 1
    return generation
  }
}
