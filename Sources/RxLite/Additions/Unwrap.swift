extension ObservableType {
  /// Drops the elements that are `nil` and sends the others unwrapped.
  ///
  /// - Returns: the sequence of the wrapped values.
  @inlinable public func unwrap<Result>() -> Observable<Result> where Element == Result? {
    compactMap { $0 }
  }
}

extension InfallibleType {
  /// Drops the elements that are `nil` and sends the others unwrapped.
  ///
  /// - Returns: the infallible of the wrapped values.
  @inlinable public func unwrap<Result>() -> Infallible<Result> where Element == Result? {
    Infallible(asObservable().unwrap())
  }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
  /// Unwraps the element, if there is one and it is not `nil`.
  ///
  /// - Returns: the maybe of the wrapped value.
  @inlinable public func unwrap<Result>() -> Maybe<Result> where Element == Result? {
    Maybe(raw: primitiveSequence.source.unwrap())
  }
}
