extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  /// Continues with another completable after this one has ended well.
  public func concat(_ second: Completable) -> Completable {
    Completable.concat([primitiveSequence, second])
  }

  /// Runs completables one after the other; an error ends it at once.
  ///
  /// - Parameter sequence: the completables; each is subscribed when the one before has ended well.
  /// - Returns: the completable of all of them.
  public static func concat<Sequences: Sequence>(_ sequence: Sequences) -> Completable
  where Sequences.Element == Completable {
    Completable(raw: .concat(AnySequence(sequence.lazy.map { $0.source })))
  }

  /// Runs completables one after the other; an error ends it at once.
  public static func concat<Sequences: Collection>(_ collection: Sequences) -> Completable
  where Sequences.Element == Completable {
    Completable(raw: .concat(collection.lazy.map { $0.source }))
  }

  /// Runs completables one after the other; an error ends it at once.
  public static func concat(_ sources: Completable...) -> Completable {
    Completable(raw: .concat(sources.map(\.source)))
  }

  /// Runs completables side by side: ends well when all have, or with the first error.
  ///
  /// - Parameter sources: the completables; none of them end at once.
  /// - Returns: the completable of all of them.
  public static func zip<Sources: Collection>(_ sources: Sources) -> Completable
  where Sources.Element == Completable {
    Completable(raw: .merge(sources.map(\.source)))
  }

  /// Runs completables side by side: ends well when all have, or with the first error.
  public static func zip(_ sources: [Completable]) -> Completable {
    Completable(raw: .merge(sources.map(\.source)))
  }

  /// Runs completables side by side: ends well when all have, or with the first error.
  public static func zip(_ sources: Completable...) -> Completable {
    zip(sources)
  }

  /// Runs completables side by side, as `zip` does.
  public static func merge<Sources: Collection>(_ sources: Sources) -> Completable
  where Sources.Element == Completable {
    zip(sources)
  }

  /// Runs completables side by side, as `zip` does.
  public static func merge(_ sources: [Completable]) -> Completable {
    zip(sources)
  }

  /// Runs completables side by side, as `zip` does.
  public static func merge(_ sources: Completable...) -> Completable {
    zip(sources)
  }
}
