extension ObservableType {
  /// Splits the sequence in two: the elements that satisfy a predicate, and the others.
  ///
  /// Both share one subscription to the source, as with `share()`: while both are subscribed to, the
  /// predicate is called once for each element. If the source sends all elements during its subscription,
  /// each of the two sequences subscribes to it.
  ///
  /// - Parameter predicate: returns `true` if an element belongs to the matches. An error that it throws ends
  ///   both sequences.
  /// - Returns: the two sequences; both end when the source does.
  @preconcurrency @inlinable public func partition(
    _ predicate: @escaping @Sendable (Element) throws -> Bool
  ) -> (matches: Observable<Element>, nonMatches: Observable<Element>) {
    let judged = map { (element: $0, matches: try predicate($0)) }.share()
    return (
      matches: judged.compactMap { $0.matches ? .some($0.element) : Element?.none },
      nonMatches: judged.compactMap { $0.matches ? Element?.none : .some($0.element) }
    )
  }
}

extension InfallibleType {
  /// Splits the infallible in two: the elements that satisfy a predicate, and the others.
  ///
  /// - Parameter predicate: returns `true` if an element belongs to the matches. Called once for each element
  ///   while both are subscribed to.
  /// - Returns: the two infallibles, which share one subscription to the source.
  @preconcurrency @inlinable public func partition(
    _ predicate: @escaping @Sendable (Element) -> Bool
  ) -> (matches: Infallible<Element>, nonMatches: Infallible<Element>) {
    let (matches, nonMatches) = asObservable().partition(predicate)
    return (matches: Infallible(matches), nonMatches: Infallible(nonMatches))
  }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Splits the single into two maybes, one of which has the element.
  ///
  /// - Parameter predicate: returns `true` if the element belongs to the matches. If it throws, both maybes
  ///   fail with that error.
  /// - Returns: the two maybes, which share one subscription to the single while it runs.
  @preconcurrency @inlinable public func partition(
    _ predicate: @escaping @Sendable (Element) throws -> Bool
  ) -> (matches: Maybe<Element>, nonMatches: Maybe<Element>) {
    let (matches, nonMatches) = primitiveSequence.source.partition(predicate)
    return (matches: Maybe(raw: matches), nonMatches: Maybe(raw: nonMatches))
  }
}
