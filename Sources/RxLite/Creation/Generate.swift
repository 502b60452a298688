extension ObservableType {
  /// A sequence of a state that is changed again and again.
  ///
  /// - Parameters:
  ///   - initialState: the first element, where it satisfies the condition.
  ///   - condition: tells whether a state is sent; the first that is not ends the sequence.
  ///   - scheduler: sends each element in a step of its own.
  ///   - iterate: makes the next state. What it or `condition` throws ends the sequence with that error.
  /// - Returns: the sequence.
  @inlinable public static func generate(
    initialState: Element, condition: @escaping (Element) throws -> Bool,
    scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance,
    iterate: @escaping (Element) throws -> Element
  ) -> Observable<Element> {
    steps(Element?.none, on: scheduler, isFinite: false) { last in
      let next = try last.map(iterate) ?? initialState
      last = next
      return try condition(next) ? next : nil
    }
  }

  /// A sequence of one element, sent without end.
  ///
  /// - Parameters:
  ///   - element: the element.
  ///   - scheduler: sends it, each time in a step of its own.
  /// - Returns: the sequence.
  @inlinable public static func repeatElement(
    _ element: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    steps((), on: scheduler, isFinite: false) { _ in element }
  }
}
