extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Combines the elements of any number of singles.
  ///
  /// - Parameters:
  ///   - collection: the singles, all subscribed at once; an empty collection ends at once with the result of no elements.
  ///   - resultSelector: makes the result of the elements, in the order of the singles; what it throws is the error.
  /// - Returns: the single of the result; the first error ends it at once.
  @inlinable public static func zip<Sources: Collection, Result>(
    _ collection: Sources, resultSelector: @escaping ([Element]) throws -> Result
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
