public import Dispatch

extension ObservableType {
  /// Divides the sequence into windows; when a window is full or its time is up, it ends and the next begins.
  ///
  /// A subscriber of a window receives the elements after its subscription. An error or completion ends the
  /// window and the sequence. The source stays subscribed to while the sequence or a window has a
  /// subscription.
  ///
  /// - Parameters:
  ///   - timeSpan: the longest time that a window is open.
  ///   - count: the number of elements of a full window; 0 or less sets no limit.
  ///   - scheduler: measures the time; windows whose time is up end on its thread.
  /// - Returns: the sequence of windows.
  public func window(
    timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
  ) -> Observable<Observable<Element>> {
    let source = asObservable().source
    return Observable { observer in
      let state = WindowState(observer, timeSpan: timeSpan, count: count, scheduler)
      state.send(.open)
      state.upstream.setDisposable(
        source(
          observer.calling { event in
            state.send(.source(event))
            if event.isStopEvent { state.upstream.dispose() }
          }))
      return state.users
    }
  }
}

/// The windows of a sequence, one of which is open at a time.
private final class WindowState<Element>: MessageRecipient, @unchecked Sendable {
  // Sendable: the variables are used only in the serializer's turn.
  enum Message {
    case open
    case source(Event<Element>)
    case timeUp(generation: UInt64)
  }

  private let observer: AnyObserver<Observable<Element>>
  private let timeSpan: RxTimeInterval
  private let count: Int
  private let scheduler: any SchedulerType
  private let serializer = DeliverySerializer()
  private let timer = SerialDisposable()
  private var window = PublishSubject<Element>()
  private var received = 0
  private var generation: UInt64 = 0
  private var hasEnded = false

  let upstream = SingleAssignmentDisposable()
  let users: RefCountDisposable

  init(
    _ observer: AnyObserver<Observable<Element>>, timeSpan: RxTimeInterval, count: Int,
    _ scheduler: any SchedulerType
  ) {
    self.observer = observer
    self.timeSpan = timeSpan
    self.count = count
    self.scheduler = scheduler
    users = RefCountDisposable(disposable: Disposables.create(timer, upstream))
  }

  func send(_ message: Message) {
    serializer.send(message, to: self)
  }

  func receive(_ message: Message) {
    if hasEnded { return }
    switch message {
    case .open: open()
    case .source(let event): receive(event)
    case .timeUp(let generation):
      // A scheduler may be unable to cancel a timer that has begun to fire, and each would start the next one.
      if generation == self.generation, !timer.isDisposed { next() }
    }
  }

  private func receive(_ event: Event<Element>) {
    hasEnded = event.isStopEvent
    window.on(event)
    switch event {
    case .next:
      received += 1
      if received == count { next() }
    case .error(let error): emit(.error(error))
    case .completed: emit(.completed)
    }
    if hasEnded {
      timer.dispose()
      upstream.dispose()
    }
  }

  private func next() {
    window.onCompleted()
    window = PublishSubject()
    received = 0
    generation += 1
    open()
  }

  private func open() {
    emit(.next(window.retaining(users)))
    let generation = generation
    let step = SingleAssignmentDisposable()
    timer.disposable = step
    step.setDisposable(
      scheduler.scheduleRelative((), dueTime: timeSpan) {
        self.send(.timeUp(generation: generation))
        return Disposables.create()
      })
  }

  /// Notifies the observer, unless its subscription was disposed and only windows are still observed.
  private func emit(_ event: Event<Observable<Element>>) {
    if !users.isReleased { observer.on(event) }
  }
}
