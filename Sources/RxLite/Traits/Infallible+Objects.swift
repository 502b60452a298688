extension InfallibleType {
  /// Pairs each element with an object that is not kept alive; the first element after its release completes
  /// the sequence.
  ///
  /// - Parameters:
  ///   - obj: the object.
  ///   - resultSelector: makes the result.
  /// - Returns: the sequence of results.
  @preconcurrency @inlinable public func withUnretained<Object: AnyObject, Out>(
    _ obj: Object, resultSelector: @escaping @Sendable (Object, Element) -> Out
  ) -> Infallible<Out> {
    Infallible(asObservable().withUnretained(obj, resultSelector: resultSelector))
  }

  /// Pairs each element with an object that is not kept alive; the first element after its release completes
  /// the sequence.
  @inlinable public func withUnretained<Object: AnyObject>(_ obj: Object) -> Infallible<(Object, Element)> {
    Infallible(asObservable().withUnretained(obj))
  }

  /// Writes a line for the subscription, each event and the disposal to `Hooks.debugOutput`.
  ///
  /// - Parameters:
  ///   - identifier: the name of the sequence; by default its place in the source code.
  ///   - trimOutput: whether to cut the middle out of events that are longer than 40 characters.
  ///   - file: the file of the call.
  ///   - line: the line of the call.
  ///   - function: the function of the call.
  /// - Returns: the same sequence.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> Infallible<Element> {
    Infallible(
      asObservable().debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
  }
}
