public import ReactiveNetworkLock
public import Synchronization

extension ObservableType {
  /// Delivers every event on a scheduler, in order.
  ///
  /// Events wait in an unbounded buffer for the scheduler; an error does not overtake the elements before it.
  /// Disposing drops the buffered events. The schedulers on dispatch queues deliver up to 1,024 pending events
  /// in one step; other schedulers deliver one. The source is disposed as soon as it ends.
  ///
  /// - Parameter scheduler: calls the observer; may be concurrent.
  /// - Returns: the sequence on the scheduler.
  @inlinable public func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    let source = asObservable().source
    let batchSize = ObserveOnState<Element>.batchSize(of: scheduler)
    #if TRACE_RESOURCES
      let trace = SerialQueueTrace(of: scheduler)
    #endif
    return Observable { observer in
      #if TRACE_RESOURCES
        withExtendedLifetime(trace) {}
      #endif
      let state = ObserveOnState(scheduler, batchSize, observer)
      let upstream = SingleAssignmentDisposable()
      upstream.setDisposable(
        source(
          observer.calling { event in
            state.on(event)
            if event.isStopEvent { upstream.dispose() }
          }))
      return Disposables.create(AnonymousDisposable { state.dispose() }, upstream)
    }
  }
}

@usableFromInline final class ObserveOnState<Element> {
  @usableFromInline struct PendingEvents {
    @usableFromInline var events: ContiguousArray<Event<Element>> = []
    @usableFromInline var isRunning = false

    @inlinable init() {}
  }

  @usableFromInline let scheduler: any ImmediateSchedulerType
  @usableFromInline let batchSize: Int
  @usableFromInline let observer: AnyObserver<Element>
  @usableFromInline let pending = Lock(PendingEvents())
  @usableFromInline let isDisposed = Atomic(false)
  @usableFromInline let run = SerialDisposable()
  // The events taken from `pending`, and how many of them are delivered. Used only by the scheduled run;
  // there is one at a time.
  @exclusivity(unchecked) @usableFromInline var batch: ContiguousArray<Event<Element>> = []
  @exclusivity(unchecked) @usableFromInline var delivered = 0

  @inlinable init(_ scheduler: any ImmediateSchedulerType, _ batchSize: Int, _ observer: AnyObserver<Element>)
  {
    self.scheduler = scheduler
    self.batchSize = batchSize
    self.observer = observer
  }

  /// Returns the number of events that one run may deliver before the scheduler can do other work.
  @usableFromInline static func batchSize(of scheduler: any ImmediateSchedulerType) -> Int {
    scheduler.isDispatching ? 1_024 : 1
  }

  @inlinable func on(_ event: Event<Element>) {
    guard !isDisposed.load(ordering: .relaxed) else { return }
    let isFirst = pending.withLock { pending in
      pending.events.append(event)
      return !exchange(&pending.isRunning, with: true)
    }
    if isFirst { start() }
  }

  @usableFromInline func start() {
    run.disposable = scheduler.scheduleRecursive((), yields: false) { [self] _, recurse in
      if deliver() { recurse(()) }
    }
  }

  /// Delivers a batch.
  ///
  /// Returns `true` if more events are pending.
  @inlinable func deliver() -> Bool {
    for _ in 0..<batchSize {
      guard delivered < batch.count || refill() else { return false }
      guard !isDisposed.load(ordering: .relaxed) else {
        batch = []
        return false
      }
      // Removes the event from the batch, so that it is released after its delivery.
      let event = exchange(&batch[delivered], with: .completed)
      delivered += 1
      observer.on(event)
    }
    return delivered < batch.count || refill()
  }

  @usableFromInline func refill() -> Bool {
    // Frees the memory of a large burst.
    batch.removeAll(keepingCapacity: batch.count <= 1_024)
    delivered = 0
    return pending.withLock { pending in
      pending.isRunning = !pending.events.isEmpty
      swap(&pending.events, &batch)
      return pending.isRunning
    }
  }

  @usableFromInline func dispose() {
    isDisposed.store(true, ordering: .relaxed)
    run.dispose()
    _ = pending.withLock { exchange(&$0.events, with: []) }
  }
}
