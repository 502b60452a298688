public import Dispatch

extension ObservableType where Element: RxAbstractInteger {
  /// Sends zero after a delay and, if there is a period, continues to count without end.
  ///
  /// - Parameters:
  ///   - dueTime: the time to the first element.
  ///   - period: the time between elements; zero or less for as often as possible. Without it the sequence completes
  ///     after the first element.
  ///   - scheduler: measures the time; the elements arrive on its thread.
  /// - Returns: the sequence, which starts at zero for each subscriber and wraps around at the largest
  ///   integer.
  public static func timer(
    _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
  ) -> Observable<Element> {
    Observable { observer in
      if let period {
        let count = uncheckedSendable { (count: Element) in
          observer.onNext(count)
          return count &+ 1
        }
        return scheduler.schedulePeriodic(0, startAfter: dueTime, period: period, action: count)
      }
      let end = uncheckedSendable {
        observer.onNext(0)
        observer.onCompleted()
        return Disposables.create()
      }
      return scheduler.scheduleRelative((), dueTime: dueTime, action: end)
    }
  }
}
