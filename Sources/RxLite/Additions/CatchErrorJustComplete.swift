extension ObservableType {
  /// Completes if this sequence fails.
  ///
  /// - Returns: the sequence, which never fails.
  @inlinable public func catchErrorJustComplete() -> Observable<Element> {
    `catch` { _ in .empty() }
  }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
  /// Completes without an element if this maybe fails.
  ///
  /// - Returns: the maybe, which never fails.
  @inlinable public func catchErrorJustComplete() -> Maybe<Element> {
    Maybe(raw: primitiveSequence.source.catchErrorJustComplete())
  }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  /// Completes if this completable fails.
  ///
  /// - Returns: the completable, which never fails.
  @inlinable public func catchErrorJustComplete() -> Completable {
    Completable(raw: primitiveSequence.source.catchErrorJustComplete())
  }
}
