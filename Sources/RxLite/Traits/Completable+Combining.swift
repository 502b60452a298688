extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  /// Continues with another completable after this one has completed.
  public func concat(_ second: Completable) -> Completable {
    Completable.concat([primitiveSequence, second])
  }

  /// Runs completables one after the other; an error ends the result at once.
  ///
  /// - Parameter sequence: the completables; each is subscribed to after the previous one has completed.
  /// - Returns: a completable that completes after the last one.
  public static func concat<Sequences: Sequence>(_ sequence: Sequences) -> Completable
  where Sequences.Element == Completable {
    Completable(raw: .concat(AnySequence(sequence.lazy.map { $0.source })))
  }

  /// Runs completables one after the other; an error ends the result at once.
  public static func concat<Sequences: Collection>(_ collection: Sequences) -> Completable
  where Sequences.Element == Completable {
    Completable(raw: .concat(collection.lazy.map { $0.source }))
  }

  /// Runs completables one after the other; an error ends the result at once.
  public static func concat(_ sources: Completable...) -> Completable {
    Completable(raw: .concat(sources.map(\.source)))
  }

  /// Runs completables concurrently and completes when all have completed, or fails with the first error.
  ///
  /// - Parameter sources: the completables; an empty collection completes at once.
  /// - Returns: the combined completable.
  public static func zip<Sources: Collection>(_ sources: Sources) -> Completable
  where Sources.Element == Completable {
    Completable(raw: .merge(sources.map(\.source)))
  }

  /// Runs completables concurrently and completes when all have completed, or fails with the first error.
  public static func zip(_ sources: [Completable]) -> Completable {
    Completable(raw: .merge(sources.map(\.source)))
  }

  /// Runs completables concurrently and completes when all have completed, or fails with the first error.
  public static func zip(_ sources: Completable...) -> Completable {
    zip(sources)
  }

  /// Runs completables concurrently, as `zip` does.
  public static func merge<Sources: Collection>(_ sources: Sources) -> Completable
  where Sources.Element == Completable {
    zip(sources)
  }

  /// Runs completables concurrently, as `zip` does.
  public static func merge(_ sources: [Completable]) -> Completable {
    zip(sources)
  }

  /// Runs completables concurrently, as `zip` does.
  public static func merge(_ sources: Completable...) -> Completable {
    zip(sources)
  }
}
