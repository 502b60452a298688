public import Dispatch

extension ObservableType {
  /// Drops the elements of the first while.
  ///
  /// - Parameters:
  ///   - duration: how long, from the subscription on; an error or completion passes at any time.
  ///   - scheduler: measures the time.
  /// - Returns: the sequence without its beginning.
  @inlinable public func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element>
  {
    let source = asObservable().source
    return Observable { observer in
      // A flag that both threads may touch.
      let isOpen = BooleanDisposable()
      let timer = scheduler.scheduleRelative((), dueTime: duration) {
        isOpen.dispose()
        return Disposables.create()
      }
      let subscription = source(
        AnyObserver { event in
          if event.isStopEvent || isOpen.isDisposed { observer.on(event) }
        })
      return Disposables.create(timer, subscription)
    }
  }
}
