extension ObservableType {
  /// Subscribes and unsubscribes the source on a scheduler.
  ///
  /// Where the events arrive is up to the source; see `observe(on:)` to choose that.
  ///
  /// - Parameter scheduler: where the source is subscribed and its subscription disposed.
  /// - Returns: the sequence; the source of one disposed before the scheduler came to it is never subscribed.
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      let current = SerialDisposable()
      let start = SingleAssignmentDisposable()
      current.disposable = start
      start.setDisposable(
        scheduler.schedule(()) {
          let subscription = SingleAssignmentDisposable()
          current.disposable = ScheduledDisposable(scheduler: scheduler, disposable: subscription)
          Trampoline.run { subscription.setDisposable(source(observer)) }
          return Disposables.create()
        })
      return current
    }
  }
}
