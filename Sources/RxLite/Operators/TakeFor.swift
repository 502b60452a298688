public import Dispatch

extension ObservableType {
  /// Forwards events for a time, then completes.
  ///
  /// - Parameters:
  ///   - duration: the time, from the subscription on.
  ///   - scheduler: measures the time; the completion arrives on its thread.
  /// - Returns: the shortened sequence.
  @inlinable public func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<
    Element
  > {
    let source = asObservable().source
    return Observable { observer in
      let output = TwoSourceOutput(observer)
      let complete = uncheckedSendable {
        output.send(.completed)
        return Disposables.create()
      }
      output.assignSecond(scheduler.scheduleRelative((), dueTime: duration, action: complete))
      output.assign(
        source(
          observer.calling { event in
            if event.isStopEvent { output.endSource(event) } else { output.send(event) }
          }))
      return output
    }
  }
}
