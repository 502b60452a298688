extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Combines the elements of any number of singles.
  ///
  /// - Parameters:
  ///   - collection: the singles, which are all subscribed to at once. If the collection is empty, the result
  ///     for no elements is sent at once.
  ///   - resultSelector: returns the result for the elements, in the order of the singles. If it throws, the
  ///     single fails with that error.
  /// - Returns: a single of the result; the first error ends it at once.
  @preconcurrency @inlinable public static func zip<Sources: Collection, Result>(
    _ collection: Sources, resultSelector: @escaping @Sendable ([Element]) throws -> Result
  ) -> Single<Result> where Sources.Element == PrimitiveSequence<Trait, Element> {
    guard !collection.isEmpty else { return Single<Result>.deferred { .just(try resultSelector([])) } }
    return Single<Result>(raw: .zip(collection.map(\.source), resultSelector: resultSelector))
  }

  /// Collects the elements of any number of singles into an array, in the order of the singles.
  @inlinable public static func zip<Sources: Collection>(_ collection: Sources) -> Single<[Element]>
  where Sources.Element == PrimitiveSequence<Trait, Element> {
    zip(collection) { $0 }
  }
}
