public import Dispatch

/// The integers that creation operators can count with.
public typealias RxAbstractInteger = FixedWidthInteger

extension ObservableType where Element: RxAbstractInteger {
  /// Counts from zero, one each period, without end.
  ///
  /// - Parameters:
  ///   - period: the time to the first element and from each to the next.
  ///   - scheduler: measures the time; the elements arrive on its thread.
  /// - Returns: the sequence; it starts anew for each subscriber and wraps around at the largest integer.
  public static func interval(
    _ period: RxTimeInterval, scheduler: any SchedulerType
  ) -> Observable<Element> {
    timer(period, period: period, scheduler: scheduler)
  }

  /// Sends zero after a while, and with a period goes on counting without end.
  ///
  /// - Parameters:
  ///   - dueTime: the time to the first element.
  ///   - period: the time from each element to the next; without it the sequence completes after the first.
  ///   - scheduler: measures the time; the elements arrive on its thread.
  /// - Returns: the sequence; it starts anew for each subscriber and wraps around at the largest integer.
  public static func timer(
    _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
  ) -> Observable<Element> {
    Observable { observer in
      if let period {
        return scheduler.schedulePeriodic(0, startAfter: dueTime, period: period) { (count: Element) in
          observer.onNext(count)
          return count &+ 1
        }
      }
      return scheduler.scheduleRelative((), dueTime: dueTime) {
        observer.onNext(0)
        observer.onCompleted()
        return Disposables.create()
      }
    }
  }
}
