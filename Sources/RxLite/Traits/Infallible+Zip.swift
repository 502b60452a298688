// The selectors are declared `throws` to match `Observable` and should never throw: an error ends the
// sequence and goes to `Hooks.defaultErrorHandler`, because subscribers do not expect it.

extension InfallibleType {
  /// Combines the first elements of 2 infallibles, then the second ones, and so on.
  @preconcurrency @inlinable public static func zip<I1: InfallibleType, I2: InfallibleType>(
    _ source1: I1, _ source2: I2,
    resultSelector: @escaping @Sendable (I1.Element, I2.Element) throws -> Element
  ) -> Infallible<Element> {
    Infallible(.combine(keepingLatest: false, source1, source2, resultSelector))
  }

  /// Combines the first elements of 3 infallibles, then the second ones, and so on.
  @preconcurrency @inlinable
  public static func zip<I1: InfallibleType, I2: InfallibleType, I3: InfallibleType>(
    _ source1: I1, _ source2: I2, _ source3: I3,
    resultSelector: @escaping @Sendable (I1.Element, I2.Element, I3.Element) throws -> Element
  ) -> Infallible<Element> {
    Infallible(.combine(keepingLatest: false, source1, source2, source3, resultSelector))
  }

  /// Combines the first elements of 4 infallibles, then the second ones, and so on.
  @inlinable
  @preconcurrency
  public static func zip<I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType>(
    _ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4,
    resultSelector: @escaping @Sendable (I1.Element, I2.Element, I3.Element, I4.Element) throws -> Element
  ) -> Infallible<Element> {
    Infallible(.combine(keepingLatest: false, source1, source2, source3, source4, resultSelector))
  }

  /// Combines the first elements of 5 infallibles, then the second ones, and so on.
  @inlinable
  @preconcurrency
  public static func zip<
    I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType, I5: InfallibleType
  >(
    _ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4, _ source5: I5,
    resultSelector:
      @escaping @Sendable (I1.Element, I2.Element, I3.Element, I4.Element, I5.Element) throws -> Element
  ) -> Infallible<Element> {
    Infallible(.combine(keepingLatest: false, source1, source2, source3, source4, source5, resultSelector))
  }

  /// Combines the first elements of 6 infallibles, then the second ones, and so on.
  @inlinable
  @preconcurrency
  public static func zip<
    I1: InfallibleType, I2: InfallibleType, I3: InfallibleType, I4: InfallibleType, I5: InfallibleType,
    I6: InfallibleType
  >(
    _ source1: I1, _ source2: I2, _ source3: I3, _ source4: I4, _ source5: I5, _ source6: I6,
    resultSelector:
      @escaping @Sendable (I1.Element, I2.Element, I3.Element, I4.Element, I5.Element, I6.Element) throws ->
      Element
  ) -> Infallible<Element> {
    Infallible(
      .combine(keepingLatest: false, source1, source2, source3, source4, source5, source6, resultSelector))
  }

  /// Combines the first elements of 7 infallibles, then the second ones, and so on.
  @inlinable
  @preconcurrency
  public static func zip<
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
        keepingLatest: false, source1, source2, source3, source4, source5, source6, source7, resultSelector))
  }

  /// Combines the first elements of 8 infallibles, then the second ones, and so on.
  @inlinable
  @preconcurrency
  public static func zip<
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
        keepingLatest: false, source1, source2, source3, source4, source5, source6, source7, source8,
        resultSelector))
  }
}
