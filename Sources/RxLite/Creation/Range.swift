extension ObservableType where Element: FixedWidthInteger {
  /// Returns a sequence of consecutive integers.
  ///
  /// - Parameters:
  ///   - start: the first integer.
  ///   - count: the number of elements.
  ///   - scheduler: sends each element in a separate step.
  /// - Returns: the sequence.
  /// - Precondition: `count >= 0`, and the last element fits the type.
  @inlinable public static func range(
    start: Element, count: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    precondition(count >= 0, "count is negative: \(count)")
    let isPastLimit = count > 0 && start.addingReportingOverflow(count - 1).overflow
    precondition(!isPastLimit, "start + count overflows: \(start) + \(count)")
    return unfold((start, count), on: scheduler, isFinite: true) { state in
      guard state.1 > 0 else { return nil }
      defer {
        state.0 &+= 1
        state.1 -= 1
      }
      return state.0
    }
  }
}
