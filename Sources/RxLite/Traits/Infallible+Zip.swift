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

  /// Combines the first elements of any number of infallibles, then the second ones, and so on.
  @inlinable
  @preconcurrency
  public static func zip<each Source: InfallibleType>(
    _ source: repeat each Source,
    resultSelector: @escaping @Sendable (repeat (each Source).Element) throws -> Element
  ) -> Infallible<Element> {
    Infallible(.combineAll(keepingLatest: false, repeat each source, resultSelector: resultSelector))
  }
}
