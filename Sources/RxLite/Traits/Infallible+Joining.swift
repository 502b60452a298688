extension InfallibleType {
  /// Sends the elements of another sequence after this one has completed.
  ///
  /// - Parameter second: the other sequence. If it is not an infallible, it must not fail: its error goes to
  ///   `Hooks.defaultErrorHandler`.
  /// - Returns: the elements of both.
  @inlinable public func concat<Source: ObservableConvertibleType>(
    _ second: Source
  ) -> Infallible<Element> where Source.Element == Element {
    Infallible(asObservable().concat(second))
  }

  /// Sends the elements of infallibles one after the other.
  ///
  /// - Parameter sequence: the infallibles; each is subscribed to after the previous one has completed.
  /// - Returns: the elements of all.
  @inlinable public static func concat<Sequences: Sequence>(
    _ sequence: Sequences
  ) -> Infallible<Element> where Sequences.Element == Infallible<Element> {
    Infallible(.concat(AnySequence(sequence.lazy.map(\.source))))
  }

  /// Sends the elements of infallibles one after the other.
  @inlinable public static func concat<Sequences: Collection>(
    _ collection: Sequences
  ) -> Infallible<Element> where Sequences.Element == Infallible<Element> {
    Infallible(.concat(collection.lazy.map(\.source)))
  }

  /// Sends the elements of infallibles one after the other.
  @inlinable public static func concat(_ sources: Infallible<Element>...) -> Infallible<Element> {
    Infallible(.concat(sources.map(\.source)))
  }

  /// Merges infallibles; all are subscribed to at once.
  @inlinable public static func merge<Sources: Collection>(
    _ sources: Sources
  ) -> Infallible<Element> where Sources.Element == Infallible<Element> {
    Infallible(.merge(sources.map(\.source)))
  }

  /// Merges infallibles; all are subscribed to at once.
  @inlinable public static func merge(_ sources: [Infallible<Element>]) -> Infallible<Element> {
    Infallible(.merge(sources.map(\.source)))
  }

  /// Merges infallibles; all are subscribed to at once.
  @inlinable public static func merge(_ sources: Infallible<Element>...) -> Infallible<Element> {
    merge(sources)
  }

  /// Pairs each element with the latest element of another infallible.
  ///
  /// - Parameters:
  ///   - second: the other infallible. Elements of this one are dropped until it has sent an element.
  ///   - resultSelector: returns the result. Declared `throws` to match `Observable`; it should never throw.
  /// - Returns: the sequence of results, which completes when this one does.
  @preconcurrency @inlinable public func withLatestFrom<Source: InfallibleType, ResultType>(
    _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) throws -> ResultType
  ) -> Infallible<ResultType> {
    Infallible(asObservable().withLatestFrom(second, resultSelector: resultSelector))
  }

  /// Sends the latest element of another infallible for each element of this one.
  @inlinable public func withLatestFrom<Source: InfallibleType>(
    _ second: Source
  ) -> Infallible<Source.Element> {
    Infallible(asObservable().withLatestFrom(second))
  }

  /// Sends a given element before the elements of the sequence.
  @inlinable public func startWith(_ element: Element) -> Infallible<Element> {
    Infallible(asObservable().startWith(element))
  }
}
