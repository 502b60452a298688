extension ObservableType {
  /// Subscribes and unsubscribes the source on a scheduler.
  ///
  /// Where the events arrive is up to the source; see `observe(on:)` to choose that.
  ///
  /// - Parameter scheduler: where the source is subscribed and its subscription disposed.
  /// - Returns: the sequence; the source of one disposed before the scheduler came to it is never subscribed.
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    // An `Observable` lets go of what it holds when it ends; another type's subscription is disposed on the scheduler.
    let observable = self as? Observable<Element>
    let source = observable?.source ?? { self.subscribe($0) }
    return Observable { observer in
      let current = SerialDisposable()
      let isDisposed = BooleanDisposable()
      let start = SingleAssignmentDisposable()
      current.disposable = start
      start.setDisposable(
        scheduler.schedule(()) {
          let subscription = SingleAssignmentDisposable()
          let hasStarted = BooleanDisposable()
          current.disposable = ScheduledDisposable(scheduler: scheduler, disposable: subscription)
          let target = AnyObserver { event in
            // The source goes on until the scheduler has come to its disposal; one that sends without end while it is being
            // subscribed would keep the scheduler from ever coming to it.
            if !isDisposed.isDisposed {
              observer.on(event)
            } else if !hasStarted.isDisposed {
              subscription.dispose()
            }
            if event.isStopEvent, observable != nil { subscription.dispose() }
          }
          Trampoline.run { subscription.setDisposable(source(target)) }
          hasStarted.dispose()
          return Disposables.create()
        })
      return Disposables.create(isDisposed, current)
    }
  }
}
