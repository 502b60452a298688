public import Dispatch

/// The integer types that `interval`, `timer` and `range` can count with.
public typealias RxAbstractInteger = FixedWidthInteger

extension ObservableType where Element: RxAbstractInteger {
  /// Counts up from zero without end, one element each period.
  ///
  /// - Parameters:
  ///   - period: the time to the first element, and between elements.
  ///   - scheduler: measures the time; the elements arrive on its thread.
  /// - Returns: the sequence, which starts at zero for each subscriber and wraps around at the largest
  ///   integer.
  public static func interval(
    _ period: RxTimeInterval, scheduler: any SchedulerType
  ) -> Observable<Element> {
    timer(period, period: period, scheduler: scheduler)
  }

  /// Sends zero after a delay and, if there is a period, continues to count without end.
  ///
  /// - Parameters:
  ///   - dueTime: the time to the first element.
  ///   - period: the time between elements. Without it the sequence completes after the first element.
  ///   - scheduler: measures the time; the elements arrive on its thread.
  /// - Returns: the sequence, which starts at zero for each subscriber and wraps around at the largest
  ///   integer.
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
