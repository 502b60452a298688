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
}
