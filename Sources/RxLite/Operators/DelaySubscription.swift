public import Dispatch

extension ObservableType {
  /// Subscribes to the source after a while, on the scheduler's thread.
  ///
  /// - Parameters:
  ///   - dueTime: how long to wait.
  ///   - scheduler: measures the time.
  /// - Returns: the sequence; disposing it before the time is up means that the source is never subscribed.
  public func delaySubscription(
    _ dueTime: RxTimeInterval, scheduler: any SchedulerType
  ) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      let subscription = SingleAssignmentDisposable()
      let timer = scheduler.scheduleRelative((), dueTime: dueTime) {
        Trampoline.run { subscription.setDisposable(source(observer)) }
        return Disposables.create()
      }
      return Disposables.create(timer, subscription)
    }
  }
}
