public import Dispatch

extension ObservableType {
  /// Collects elements in arrays, and sends an array when it is full or its time is up.
  ///
  /// A full array restarts the timer. When the time is up, and at completion, the current array is sent even
  /// if it is empty; an error drops it.
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
      let arbiter = Arbiter(Buffering<Element>(count: count), observer)
      let timer = TurnTimer()

      func startTimer(_ turn: UInt64) {
        timer.start(turn, after: timeSpan, on: scheduler) {
          if let next = arbiter.decide({ $0.timeUp(turn, &$1) }) { startTimer(next) }
        }
      }

      startTimer(0)
      let subscription = source(
        AnyObserver.calling { event in
          if let next = arbiter.decide({ $0.receive(event, &$1) }).turn { startTimer(next) }
        })
      return Disposables.create(timer, subscription)
    }
  }
}

private struct Buffering<Element> {
  typealias Output = Arbiter<Self, [Element]>.Output

  let count: Int
  private var gathered: [Element] = []
  private var turn: UInt64 = 0

  init(count: Int) {
    self.count = count
  }

  /// Returns the number of the turn that begins, if any, and the dropped elements.
  mutating func receive(_ event: Event<Element>, _ output: inout Output) -> (
    turn: UInt64?, dropped: [Element]
  ) {
    switch event {
    case .next(let element):
      gathered.append(element)
      return (gathered.count == count ? nextTurn(&output) : nil, [])
    case .error(let error):
      output.emit(.error(error))
      defer { gathered = [] }
      return (nil, gathered)
    case .completed:
      output.emit(.next(gathered))
      output.emit(.completed)
      return (nil, [])
    }
  }

  mutating func timeUp(_ turn: UInt64, _ output: inout Output) -> UInt64? {
    turn == self.turn ? nextTurn(&output) : nil
  }

  private mutating func nextTurn(_ output: inout Output) -> UInt64 {
    output.emit(.next(gathered))
    gathered = []
    turn += 1
    return turn
  }
}
