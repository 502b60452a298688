extension ObservableType {
  /// Sends a constant for each element.
  ///
  /// - Parameter value: the constant.
  /// - Returns: the sequence of constants.
  @inlinable public func mapTo<Result>(_ value: Result) -> Observable<Result> {
    mapping { _ in value }
  }
}

extension InfallibleType {
  /// Sends a constant for each element.
  ///
  /// - Parameter value: the constant.
  /// - Returns: the infallible of constants.
  @inlinable public func mapTo<Result>(_ value: Result) -> Infallible<Result> {
    Infallible(asObservable().mapTo(value))
  }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Replaces the element with a constant.
  ///
  /// - Parameter value: the constant.
  /// - Returns: the single of the constant.
  @inlinable public func mapTo<Result>(_ value: Result) -> Single<Result> {
    Single(raw: primitiveSequence.source.mapTo(value))
  }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
  /// Replaces the element, if there is one, with a constant.
  ///
  /// - Parameter value: the constant.
  /// - Returns: the maybe of the constant.
  @inlinable public func mapTo<Result>(_ value: Result) -> Maybe<Result> {
    Maybe(raw: primitiveSequence.source.mapTo(value))
  }
}
