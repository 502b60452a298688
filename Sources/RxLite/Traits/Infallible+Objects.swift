extension InfallibleType {
  /// Pairs each element with an object that is not kept alive; the first element after its end completes the sequence.
  ///
  /// - Parameters:
  ///   - obj: the object.
  ///   - resultSelector: makes the result.
  /// - Returns: the sequence of results.
  @inlinable public func withUnretained<Object: AnyObject, Out>(
    _ obj: Object, resultSelector: @escaping (Object, Element) -> Out
  ) -> Infallible<Out> {
    Infallible(asObservable().withUnretained(obj, resultSelector: resultSelector))
  }

  /// Pairs each element with an object that is not kept alive; the first element after its end completes the sequence.
  @inlinable public func withUnretained<Object: AnyObject>(_ obj: Object) -> Infallible<(Object, Element)> {
    Infallible(asObservable().withUnretained(obj))
  }

  /// Writes a line for the subscription, each event and the disposal, to `Hooks.debugOutput`.
  ///
  /// - Parameters:
  ///   - identifier: names the sequence; the place in the source code unless given.
  ///   - trimOutput: whether events longer than 40 characters lose their middle.
  ///   - file: where the operator is used.
  ///   - line: where the operator is used.
  ///   - function: where the operator is used.
  /// - Returns: the same sequence.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> Infallible<Element> {
    Infallible(
      asObservable().debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
  }
}
