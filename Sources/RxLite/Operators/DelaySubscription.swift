public import Dispatch

extension ObservableType {
  /// Subscribes to the source after a delay, on the scheduler's thread.
  ///
  /// - Parameters:
  ///   - dueTime: the delay.
  ///   - scheduler: measures the time.
  /// - Returns: the sequence. If it is disposed before the time is up, the source is never subscribed to.
  public func delaySubscription(
    _ dueTime: RxTimeInterval, scheduler: any SchedulerType
  ) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      let subscription = SingleAssignmentDisposable()
      let subscribe = uncheckedSendable {
        // A scheduler may be unable to cancel an action that has begun to run.
        if subscription.isDisposed { return Disposables.create() }
        Trampoline.run { subscription.setDisposable(source(observer)) }
        return Disposables.create()
      }
      let timer = scheduler.scheduleRelative((), dueTime: dueTime, action: subscribe)
      return Disposables.create(timer, subscription)
    }
  }
}
