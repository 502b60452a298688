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

  /// Combines the latest elements of 4 infallibles whenever one of them sends an element.
  @inlinable
  @preconcurrency
  public static func combineLatest<
    I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType
  >(
    _ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4,
    resultSelector: @escaping @Sendable (I1.Element, I2.Element, I3.Element, I4.Element) throws -> Element
  ) -> Infallible<Element> {
    Infallible(.combine(keepingLatest: true, source1, source2, source3, source4, resultSelector))
  }

  /// Combines the latest elements of 5 infallibles whenever one of them sends an element.
  @inlinable
  @preconcurrency
  public static func combineLatest<
    I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType, I5: InfallibleType
  >(
    _ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4, _ source5: I5,
    resultSelector:
      @escaping @Sendable (I1.Element, I2.Element, I3.Element, I4.Element, I5.Element) throws -> Element
  ) -> Infallible<Element> {
    Infallible(.combine(keepingLatest: true, source1, source2, source3, source4, source5, resultSelector))
  }

  /// Combines the latest elements of 6 infallibles whenever one of them sends an element.
  @inlinable
  @preconcurrency
  public static func combineLatest<
    I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType, I5: InfallibleType,
    I6: InfallibleType
  >(
    _ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4, _ source5: I5, _ source6: I6,
    resultSelector:
      @escaping @Sendable (I1.Element, I2.Element, I3.Element, I4.Element, I5.Element, I6.Element) throws ->
      Element
  ) -> Infallible<Element> {
    Infallible(
      .combine(keepingLatest: true, source1, source2, source3, source4, source5, source6, resultSelector))
  }

  /// Combines the latest elements of 7 infallibles whenever one of them sends an element.
  @inlinable
  @preconcurrency
  public static func combineLatest<
    I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType, I5: InfallibleType,
    I6: InfallibleType, I7: InfallibleType
  >(
    _ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4, _ source5: I5, _ source6: I6, _ source7: I7,
    resultSelector:
      @escaping @Sendable (I1.Element, I2.Element, I3.Element, I4.Element, I5.Element, I6.Element, I7.Element)
      throws ->
      Element
  ) -> Infallible<Element> {
    Infallible(
      .combine(
        keepingLatest: true, source1, source2, source3, source4, source5, source6, source7, resultSelector))
  }

  /// Combines the latest elements of 8 infallibles whenever one of them sends an element.
  @inlinable
  @preconcurrency
  public static func combineLatest<
    I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType, I5: InfallibleType,
    I6: InfallibleType, I7: InfallibleType, I8: InfallibleType
  >(
    _ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4, _ source5: I5, _ source6: I6, _ source7: I7,
    _ source8: I8,
    resultSelector:
      @escaping @Sendable (
        I1.Element, I2.Element, I3.Element, I4.Element, I5.Element, I6.Element, I7.Element, I8.Element
      ) throws -> Element
  ) -> Infallible<Element> {
    Infallible(
      .combine(
        keepingLatest: true, source1, source2, source3, source4, source5, source6, source7, source8,
        resultSelector))
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

  /// Combines the latest elements of 4 infallibles into tuples whenever one of them sends an element.
  @inlinable
  public static func combineLatest<
    I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType
  >(_ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4) -> Infallible<
    (I1.Element, I2.Element, I3.Element, I4.Element)
  > {
    Infallible<(I1.Element, I2.Element, I3.Element, I4.Element)>(
      .combine(keepingLatest: true, source1, source2, source3, source4) { ($0, $1, $2, $3) })
  }

  /// Combines the latest elements of 5 infallibles into tuples whenever one of them sends an element.
  @inlinable
  public static func combineLatest<
    I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType, I5: InfallibleType
  >(_ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4, _ source5: I5) -> Infallible<
    (I1.Element, I2.Element, I3.Element, I4.Element, I5.Element)
  > {
    Infallible<(I1.Element, I2.Element, I3.Element, I4.Element, I5.Element)>(
      .combine(keepingLatest: true, source1, source2, source3, source4, source5) { ($0, $1, $2, $3, $4) })
  }

  /// Combines the latest elements of 6 infallibles into tuples whenever one of them sends an element.
  @inlinable
  public static func combineLatest<
    I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType, I5: InfallibleType,
    I6: InfallibleType
  >(_ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4, _ source5: I5, _ source6: I6) -> Infallible<
    (I1.Element, I2.Element, I3.Element, I4.Element, I5.Element, I6.Element)
  > {
    Infallible<(I1.Element, I2.Element, I3.Element, I4.Element, I5.Element, I6.Element)>(
      .combine(keepingLatest: true, source1, source2, source3, source4, source5, source6) {
        ($0, $1, $2, $3, $4, $5)
      })
  }

  /// Combines the latest elements of 7 infallibles into tuples whenever one of them sends an element.
  @inlinable
  public static func combineLatest<
    I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType, I5: InfallibleType,
    I6: InfallibleType, I7: InfallibleType
  >(_ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4, _ source5: I5, _ source6: I6, _ source7: I7)
    -> Infallible<(I1.Element, I2.Element, I3.Element, I4.Element, I5.Element, I6.Element, I7.Element)>
  {
    Infallible<(I1.Element, I2.Element, I3.Element, I4.Element, I5.Element, I6.Element, I7.Element)>(
      .combine(keepingLatest: true, source1, source2, source3, source4, source5, source6, source7) {
        ($0, $1, $2, $3, $4, $5, $6)
      })
  }

  /// Combines the latest elements of 8 infallibles into tuples whenever one of them sends an element.
  @inlinable
  public static func combineLatest<
    I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType, I5: InfallibleType,
    I6: InfallibleType, I7: InfallibleType, I8: InfallibleType
  >(
    _ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4, _ source5: I5, _ source6: I6, _ source7: I7,
    _ source8: I8
  ) -> Infallible<
    (I1.Element, I2.Element, I3.Element, I4.Element, I5.Element, I6.Element, I7.Element, I8.Element)
  > {
    Infallible<
      (I1.Element, I2.Element, I3.Element, I4.Element, I5.Element, I6.Element, I7.Element, I8.Element)
    >(
      .combine(keepingLatest: true, source1, source2, source3, source4, source5, source6, source7, source8) {
        ($0, $1, $2, $3, $4, $5, $6, $7)
      })
  }
}
