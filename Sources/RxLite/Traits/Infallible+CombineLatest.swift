// The selectors are declared `throws` to match `Observable` and should never throw: an error ends the
// sequence and goes to `Hooks.defaultErrorHandler`, because subscribers do not expect it.

extension InfallibleType {
  /// Combines the latest elements of any number of infallibles whenever one of them sends an element.
  @preconcurrency @inlinable public static func combineLatest<Sources: Collection>(
    _ collection: Sources, resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
  ) -> Infallible<Element> where Sources.Element: InfallibleType {
    Infallible(.combineLatest(collection.map { $0.asObservable() }, resultSelector: resultSelector))
  }

  /// Combines the latest elements of any number of infallibles into arrays.
  @inlinable public static func combineLatest<Sources: Collection>(
    _ collection: Sources
  ) -> Infallible<[Element]> where Sources.Element: InfallibleType, Sources.Element.Element == Element {
    Infallible<[Element]>(Observable<Element>.combineLatest(collection.map { $0.asObservable() }))
  }
}

extension Infallible {
  /// Combines the latest elements of 2 infallibles whenever one of them sends an element.
  @preconcurrency @inlinable public static func combineLatest<I1: InfallibleType, I2: InfallibleType>(
    _ source1: I1, _ source2: I2,
    resultSelector: @escaping @Sendable (I1.Element, I2.Element) throws -> Element
  ) -> Infallible<Element> {
    Infallible(.combine(keepingLatest: true, source1, source2, resultSelector))
  }

  /// Combines the latest elements of 3 infallibles whenever one of them sends an element.
  @preconcurrency @inlinable
  public static func combineLatest<I1: InfallibleType, I2: InfallibleType, I3: InfallibleType>(
    _ source1: I1, _ source2: I2, _ source3: I3,
    resultSelector: @escaping @Sendable (I1.Element, I2.Element, I3.Element) throws -> Element
  ) -> Infallible<Element> {
    Infallible(.combine(keepingLatest: true, source1, source2, source3, resultSelector))
  }

  /// Combines the latest elements of any number of infallibles whenever one of them sends an element.
  @inlinable
  @preconcurrency
  public static func combineLatest<each Source: InfallibleType>(
    _ source: repeat each Source,
    resultSelector: @escaping @Sendable (repeat (each Source).Element) throws -> Element
  ) -> Infallible<Element> {
    Infallible(.combineAll(keepingLatest: true, repeat each source, resultSelector: resultSelector))
  }
}

extension InfallibleType where Element == Any {
  /// Combines the latest elements of 2 infallibles into tuples whenever one of them sends an element.
  @inlinable public static func combineLatest<I1: InfallibleType, I2: InfallibleType>(
    _ source1: I1, _ source2: I2
  ) -> Infallible<(I1.Element, I2.Element)> {
    Infallible<(I1.Element, I2.Element)>(.combine(keepingLatest: true, source1, source2) { ($0, $1) })
  }

  /// Combines the latest elements of 3 infallibles into tuples whenever one of them sends an element.
  @inlinable public static func combineLatest<I1: InfallibleType, I2: InfallibleType, I3: InfallibleType>(
    _ source1: I1, _ source2: I2, _ source3: I3
  ) -> Infallible<(I1.Element, I2.Element, I3.Element)> {
    Infallible<(I1.Element, I2.Element, I3.Element)>(
      .combine(keepingLatest: true, source1, source2, source3) { ($0, $1, $2) })
  }

  /// Combines the latest elements of any number of infallibles into tuples whenever one of them sends an element.
  @inlinable public static func combineLatest<each Source: InfallibleType>(
    _ source: repeat each Source
  ) -> Infallible<(repeat (each Source).Element)> {
    Infallible<(repeat (each Source).Element)>(
      .combineAll(keepingLatest: true, repeat each source) { (element: repeat (each Source).Element) in
        (repeat each element)
      })
  }
}
