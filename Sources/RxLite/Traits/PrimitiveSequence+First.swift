extension PrimitiveSequenceType where Trait == SingleTrait {
  /// The single's element as an optional that is never `nil`, as `first()` of an observable has it.
  @inlinable public func first() -> Single<Element?> {
    map(Optional.some)
  }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
  /// The maybe as a single, `nil` where there is no element.
  @inlinable public func first() -> Single<Element?> {
    primitiveSequence.source.first()
  }
}
