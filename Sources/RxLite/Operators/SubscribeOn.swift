extension ObservableType {
  /// Subscribes to the source and disposes it on a scheduler.
  ///
  /// The source chooses the thread of its events; use `observe(on:)` to change it.
  ///
  /// - Parameter scheduler: runs the subscription and the disposal.
  /// - Returns: the sequence. If it is disposed before the scheduler has run the subscription, the source is
  ///   never subscribed to.
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    // An `Observable` releases its resources when it ends; the subscription of another type is disposed on
    // the scheduler.
    let observable = self as? Observable<Element>
    let source = observable?.source ?? { self.subscribe($0) }
    return Observable { observer in
      let current = SerialDisposable()
      let isDisposed = BooleanDisposable()
      let start = SingleAssignmentDisposable()
      current.disposable = start
      let subscribe = uncheckedSendable {
        // A scheduler may be unable to cancel an action that has begun to run.
        if isDisposed.isDisposed { return Disposables.create() }
        let subscription = SingleAssignmentDisposable()
        let (hasSubscribed, hasStarted) = (AtomicFlag(), AtomicFlag())
        current.disposable = ScheduledDisposable(scheduler: scheduler, disposable: subscription)
        let target = observer.calling { event in
          // The source continues until the scheduler runs the disposal. A source that sends without end in
          // steps after its subscription, before this action ends, would prevent that forever.
          if !isDisposed.isDisposed {
            observer.on(event)
          } else if hasSubscribed.isSet, !hasStarted.isSet {
            subscription.dispose()
          }
          if event.isStopEvent, observable != nil { subscription.dispose() }
        }
        Trampoline.run {
          subscription.setDisposable(source(target))
          hasSubscribed.set()
        }
        hasStarted.set()
        return Disposables.create()
      }
      start.setDisposable(scheduler.schedule((), action: subscribe))
      return Disposables.create(isDisposed, current)
    }
  }
}
