extension ObservableType where Element: FixedWidthInteger {
  /// A sequence of successive integers.
  ///
  /// - Parameters:
  ///   - start: the first.
  ///   - count: how many; negative is a programmer's error, as is a range past the largest integer.
  ///   - scheduler: sends each element in a step of its own.
  /// - Returns: the sequence.
  /// - Precondition: `count >= 0`, and the last element fits the type.
  @inlinable public static func range(
    start: Element, count: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    precondition(count >= 0, "count is negative: \(count)")
    let isPastLimit = count > 0 && start.addingReportingOverflow(count - 1).overflow
    precondition(!isPastLimit, "start + count overflows: \(start) + \(count)")
    return steps((start, count), on: scheduler, isFinite: true) { state in
      guard state.1 > 0 else { return nil }
      defer {
        state.0 &+= 1
        state.1 -= 1
      }
      return state.0
    }
  }
}
