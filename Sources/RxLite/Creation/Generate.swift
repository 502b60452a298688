extension ObservableType {
  /// Returns a sequence of states, each of which is made from the previous one.
  ///
  /// - Parameters:
  ///   - initialState: the first element, if it satisfies the condition.
  ///   - condition: returns `true` to send a state; the first `false` completes the sequence.
  ///   - scheduler: sends each element in a separate step.
  ///   - iterate: returns the state after a given one. An error that `iterate` or `condition` throws ends the
  ///     sequence.
  /// - Returns: the sequence.
  @preconcurrency @inlinable public static func generate(
    initialState: Element, condition: @escaping @Sendable (Element) throws -> Bool,
    scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance,
    iterate: @escaping @Sendable (Element) throws -> Element
  ) -> Observable<Element> {
    unfold(Element?.none, on: scheduler, isFinite: false) { last in
      let next = try last.map(iterate) ?? initialState
      last = next
      return try condition(next) ? next : nil
    }
  }
}
