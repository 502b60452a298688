extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Ends, with or without the element, as soon as another sequence sends something.
  ///
  /// An observable comes of it, because a single promises an element or an error. On the way it disposes this single:
  /// a request is taken off the wire.
  ///
  /// - Parameter other: the sequence whose first element ends this; its error is an error here, its completion ends
  ///   nothing.
  /// - Returns: the element, if it comes in time.
  @inlinable public func take<Source: ObservableType>(until other: Source) -> Observable<Element> {
    primitiveSequence.source.take(until: other)
  }

  /// The older spelling of `take(until:)`.
  @inlinable public func takeUntil<Source: ObservableType>(_ other: Source) -> Observable<Element> {
    take(until: other)
  }
}
