extension ObservableType {
  /// Returns a sequence of the states that repeated changes lead to.
  ///
  /// - Parameters:
  ///   - initialState: the first element, if it satisfies the condition.
  ///   - condition: returns `true` to send a state; the first `false` completes the sequence.
  ///   - scheduler: sends each element in a step of its own.
  ///   - iterate: returns the next state. An error that it or `condition` throws ends the sequence.
  /// - Returns: the sequence.
  @preconcurrency @inlinable public static func generate(
    initialState: Element, condition: @escaping @Sendable (Element) throws -> Bool,
    scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance,
    iterate: @escaping @Sendable (Element) throws -> Element
  ) -> Observable<Element> {
    steps(Element?.none, on: scheduler, isFinite: false) { last in
      let next = try last.map(iterate) ?? initialState
      last = next
      return try condition(next) ? next : nil
    }
  }

  /// Returns a sequence that sends one element without end.
  ///
  /// - Parameters:
  ///   - element: the element.
  ///   - scheduler: sends each repetition in a step of its own.
  /// - Returns: the sequence.
  @inlinable public static func repeatElement(
    _ element: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    steps((), on: scheduler, isFinite: false) { _ in element }
  }
}
