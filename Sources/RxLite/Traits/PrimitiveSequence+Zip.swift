// All sources are subscribed to at once, in order. The result is sent when the last element arrives. An error
// of a source or of the selector ends the result at once. If a maybe has no element, the result has none
// either and ends when all sources have ended. One extension serves singles and maybes: a completable has
// nothing to combine.

extension PrimitiveSequenceType {
  /// Combines the elements of 2 singles, or maybes.
  @preconcurrency @inlinable public static func zip<E1, E2>(
    _ source1: PrimitiveSequence<Trait, E1>, _ source2: PrimitiveSequence<Trait, E2>,
    resultSelector: @escaping @Sendable (E1, E2) throws -> Element
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: .combine(keepingLatest: false, source1, source2, resultSelector))
  }

  /// Combines the elements of 3 singles, or maybes.
  @preconcurrency @inlinable public static func zip<E1, E2, E3>(
    _ source1: PrimitiveSequence<Trait, E1>, _ source2: PrimitiveSequence<Trait, E2>,
    _ source3: PrimitiveSequence<Trait, E3>,
    resultSelector: @escaping @Sendable (E1, E2, E3) throws -> Element
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: .combine(keepingLatest: false, source1, source2, source3, resultSelector))
  }

  /// Combines the elements of any number of singles, or maybes.
  @preconcurrency @inlinable public static func zip<each Source>(
    _ source: repeat PrimitiveSequence<Trait, each Source>,
    resultSelector: @escaping @Sendable (repeat each Source) throws -> Element
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(
      raw: .combineAll(keepingLatest: false, repeat each source, resultSelector: resultSelector))
  }
}

extension PrimitiveSequenceType where Element == Any {
  /// Combines the elements of 2 singles, or maybes, into a tuple.
  @inlinable public static func zip<E1, E2>(
    _ source1: PrimitiveSequence<Trait, E1>, _ source2: PrimitiveSequence<Trait, E2>
  ) -> PrimitiveSequence<Trait, (E1, E2)> {
    PrimitiveSequence<Trait, (E1, E2)>(raw: .combine(keepingLatest: false, source1, source2) { ($0, $1) })
  }

  /// Combines the elements of 3 singles, or maybes, into a tuple.
  @inlinable public static func zip<E1, E2, E3>(
    _ source1: PrimitiveSequence<Trait, E1>, _ source2: PrimitiveSequence<Trait, E2>,
    _ source3: PrimitiveSequence<Trait, E3>
  ) -> PrimitiveSequence<Trait, (E1, E2, E3)> {
    PrimitiveSequence<Trait, (E1, E2, E3)>(
      raw: .combine(keepingLatest: false, source1, source2, source3) { ($0, $1, $2) })
  }

  /// Combines the elements of any number of singles, or maybes, into a tuple.
  @inlinable public static func zip<each Source>(
    _ source: repeat PrimitiveSequence<Trait, each Source>
  ) -> PrimitiveSequence<Trait, (repeat each Source)> {
    PrimitiveSequence<Trait, (repeat each Source)>(
      raw: .combineAll(keepingLatest: false, repeat each source) { (element: repeat each Source) in
        (repeat each element)
      })
  }
}
