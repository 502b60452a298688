public import Dispatch

extension ObservableType {
  /// Drops the elements of an initial time span.
  ///
  /// - Parameters:
  ///   - duration: the span, from the subscription on. An error or completion is forwarded at any time.
  ///   - scheduler: measures the time.
  /// - Returns: the sequence without its beginning.
  @inlinable public func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element>
  {
    let source = asObservable().source
    return Observable { observer in
      let isOpen = AtomicFlag()
      let timer = scheduler.scheduleRelative((), dueTime: duration) {
        isOpen.set()
        return Disposables.create()
      }
      let subscription = source(
        observer.calling { event in
          if event.isStopEvent || isOpen.isSet { observer.on(event) }
        })
      return Disposables.create(timer, subscription)
    }
  }
}
