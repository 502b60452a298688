public import Locking
public import Synchronization

extension ObservableType {
  /// Hands every event on on a scheduler, in order.
  ///
  /// Events wait in a buffer without bound until the scheduler comes to them; an error waits behind the
  /// elements before it. Disposing drops what waits. On dispatch queues as many as wait are delivered in one
  /// run, on other schedulers one in each step. The source is unsubscribed as soon as it ends.
  ///
  /// - Parameter scheduler: where the observer is called; may be concurrent.
  /// - Returns: the sequence as seen from the scheduler.
  @inlinable public func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    let source = asObservable().source
    let batchSize = ObserveOn<Element>.batchSize(of: scheduler)
    #if TRACE_RESOURCES
      let trace = SerialQueueTrace(of: scheduler)
    #endif
    return Observable { observer in
      #if TRACE_RESOURCES
        withExtendedLifetime(trace) {}
      #endif
      let hop = ObserveOn(scheduler, batchSize, observer)
      let upstream = SingleAssignmentDisposable()
      upstream.setDisposable(
        source(
          AnyObserver { event in
            hop.on(event)
            if event.isStopEvent { upstream.dispose() }
          }))
      return Disposables.create(Disposables.create { hop.dispose() }, upstream)
    }
  }
}

@usableFromInline final class ObserveOn<Element> {
  @usableFromInline struct Waiting {
    @usableFromInline var events: ContiguousArray<Event<Element>> = []
    @usableFromInline var isRunning = false

    @inlinable init() {}
  }

  @usableFromInline let scheduler: any ImmediateSchedulerType
  @usableFromInline let batchSize: Int
  @usableFromInline let observer: AnyObserver<Element>
  @usableFromInline let waiting = Lock(Waiting())
  @usableFromInline let isDisposed = Atomic(false)
  @usableFromInline let run = SerialDisposable()
  // Taken from the waiting ones, and how many of them are delivered. Only the one run there is at a time
  // touches them.
  @exclusivity(unchecked) @usableFromInline var batch: ContiguousArray<Event<Element>> = []
  @exclusivity(unchecked) @usableFromInline var delivered = 0

  @inlinable init(_ scheduler: any ImmediateSchedulerType, _ batchSize: Int, _ observer: AnyObserver<Element>)
  {
    self.scheduler = scheduler
    self.batchSize = batchSize
    self.observer = observer
  }

  /// How many events one run may deliver before the scheduler gets a chance to do something else.
  @usableFromInline static func batchSize(of scheduler: any ImmediateSchedulerType) -> Int {
    scheduler.isBatching ? 1_024 : 1
  }

  @inlinable func on(_ event: Event<Element>) {
    guard !isDisposed.load(ordering: .relaxed) else { return }
    let isFirst = waiting.withLock { waiting in
      waiting.events.append(event)
      defer { waiting.isRunning = true }
      return !waiting.isRunning
    }
    if isFirst { start() }
  }

  @usableFromInline func start() {
    run.disposable = scheduler.scheduleRecursive(()) { [self] _, recurse in
      if deliver() { recurse(()) }
    }
  }

  /// Delivers a batch; tells whether there is more.
  @inlinable func deliver() -> Bool {
    for _ in 0..<batchSize {
      guard delivered < batch.count || refill() else { return false }
      guard !isDisposed.load(ordering: .relaxed) else {
        batch = []
        return false
      }
      // Taken out, so that it is released once it is delivered.
      let event = exchange(&batch[delivered], with: .completed)
      delivered += 1
      observer.on(event)
    }
    return delivered < batch.count || refill()
  }

  @usableFromInline func refill() -> Bool {
    if batchSize > 1 && (1..<64).contains(batch.count) { linger() }
    // After a burst the memory is given back.
    batch.removeAll(keepingCapacity: batch.count <= 1_024)
    delivered = 0
    return waiting.withLock { waiting in
      waiting.isRunning = !waiting.events.isEmpty
      swap(&waiting.events, &batch)
      return waiting.isRunning
    }
  }

  /// Lets a moment pass, since who takes events one by one fights for the lock with who sends them.
  private func linger() {
    for _ in 0..<100 where isDisposed.load(ordering: .relaxed) { return }
  }

  @usableFromInline func dispose() {
    isDisposed.store(true, ordering: .relaxed)
    run.dispose()
    let dropped = waiting.withLock { waiting in
      defer { waiting.events = [] }
      return waiting.events
    }
    _ = dropped
  }
}
