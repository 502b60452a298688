extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Returns the single's element as an optional that is never `nil`, for symmetry with `first()` of an
  /// observable.
  @inlinable public func first() -> Single<Element?> {
    map(Optional.some)
  }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
  /// Returns the maybe as a single, whose element is `nil` if the maybe has none.
  @inlinable public func first() -> Single<Element?> {
    primitiveSequence.source.first()
  }
}
