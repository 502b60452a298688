extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Completes, with or without the element, as soon as another sequence sends an element.
  ///
  /// The result is an observable because a single guarantees an element or an error. It disposes this single
  /// when it ends, which cancels a request.
  ///
  /// - Parameter other: the sequence whose first element completes this one. Its error becomes the error of
  ///   the result; its completion is ignored.
  /// - Returns: the element, if it arrives in time.
  @inlinable public func take<Source: ObservableType>(until other: Source) -> Observable<Element> {
    primitiveSequence.source.take(until: other)
  }

  /// The older spelling of `take(until:)`.
  @inlinable public func takeUntil<Source: ObservableType>(_ other: Source) -> Observable<Element> {
    take(until: other)
  }
}
