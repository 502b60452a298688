extension ObservableType {
  /// Returns a sequence that repeats one element without end.
  ///
  /// - Parameters:
  ///   - element: the element.
  ///   - scheduler: sends each repetition in a separate step.
  /// - Returns: the sequence.
  @inlinable public static func repeatElement(
    _ element: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    unfold((), on: scheduler, isFinite: false) { _ in element }
  }
}
