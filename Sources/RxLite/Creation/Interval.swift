public import Dispatch

extension ObservableType where Element: RxAbstractInteger {
  /// Counts up from zero without end, one element each period.
  ///
  /// - Parameters:
  ///   - period: the time to the first element, and between elements; zero or less for as often as possible.
  ///   - scheduler: measures the time; the elements arrive on its thread.
  /// - Returns: the sequence, which starts at zero for each subscriber and wraps around at the largest
  ///   integer.
  public static func interval(
    _ period: RxTimeInterval, scheduler: any SchedulerType
  ) -> Observable<Element> {
    timer(period, period: period, scheduler: scheduler)
  }
}
