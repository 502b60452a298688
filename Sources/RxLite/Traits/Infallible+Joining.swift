extension InfallibleType {
  /// Sends another sequence after this one has ended.
  ///
  /// - Parameter second: must not fail where it is not an infallible itself: its error goes to
  ///   `Hooks.defaultErrorHandler`.
  /// - Returns: the elements of both.
  @inlinable public func concat<Source: ObservableConvertibleType>(
    _ second: Source
  ) -> Infallible<Element> where Source.Element == Element {
    Infallible(asObservable().concat(second))
  }

  /// Sends infallibles one after the other.
  ///
  /// - Parameter sequence: the infallibles; each is subscribed when the one before has ended.
  /// - Returns: all their elements.
  @inlinable public static func concat<Sequences: Sequence>(
    _ sequence: Sequences
  ) -> Infallible<Element> where Sequences.Element == Infallible<Element> {
    Infallible(.concat(AnySequence(sequence.lazy.map(\.source))))
  }

  /// Sends infallibles one after the other.
  @inlinable public static func concat<Sequences: Collection>(
    _ collection: Sequences
  ) -> Infallible<Element> where Sequences.Element == Infallible<Element> {
    Infallible(.concat(collection.lazy.map(\.source)))
  }

  /// Sends infallibles one after the other.
  @inlinable public static func concat(_ sources: Infallible<Element>...) -> Infallible<Element> {
    Infallible(.concat(sources.map(\.source)))
  }

  /// Merges infallibles; all are subscribed at once.
  @inlinable public static func merge<Sources: Collection>(
    _ sources: Sources
  ) -> Infallible<Element> where Sources.Element == Infallible<Element> {
    Infallible(.merge(sources.map(\.source)))
  }

  /// Merges infallibles; all are subscribed at once.
  @inlinable public static func merge(_ sources: [Infallible<Element>]) -> Infallible<Element> {
    Infallible(.merge(sources.map(\.source)))
  }

  /// Merges infallibles; all are subscribed at once.
  @inlinable public static func merge(_ sources: Infallible<Element>...) -> Infallible<Element> {
    merge(sources)
  }

  /// Pairs each element with the latest of another infallible.
  ///
  /// - Parameters:
  ///   - second: elements of this sequence are dropped until it has sent one.
  ///   - resultSelector: makes the result; it throws in form only.
  /// - Returns: the sequence of results: it ends when this one does.
  @inlinable public func withLatestFrom<Source: InfallibleType, ResultType>(
    _ second: Source, resultSelector: @escaping (Element, Source.Element) throws -> ResultType
  ) -> Infallible<ResultType> {
    Infallible(asObservable().withLatestFrom(second, resultSelector: resultSelector))
  }

  /// Sends the latest element of another infallible for each of this one.
  @inlinable public func withLatestFrom<Source: InfallibleType>(
    _ second: Source
  ) -> Infallible<Source.Element> {
    Infallible(asObservable().withLatestFrom(second))
  }
}
