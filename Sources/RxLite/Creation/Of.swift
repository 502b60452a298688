extension ObservableType {
  /// Returns a sequence of given elements.
  ///
  /// - Parameters:
  ///   - elements: the elements.
  ///   - scheduler: sends each element in a separate step.
  /// - Returns: the sequence.
  @inlinable public static func of(
    _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    from(elements, scheduler: scheduler)
  }
}
