extension ObservableType {
  /// Splits the sequence in two: the elements that satisfy a predicate, and the others.
  ///
  /// Both share one subscription of the source, as `share()` does: the predicate is called once for each element while both are
  /// subscribed. A source that sends everything while it is being subscribed is subscribed by each of them.
  ///
  /// - Parameter predicate: whether an element belongs to the matches; what it throws ends both with that error.
  /// - Returns: the two sequences; both end when the source does.
  @inlinable public func partition(
    _ predicate: @escaping (Element) throws -> Bool
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
  /// - Parameter predicate: whether an element belongs to the matches; called once for each element while both are subscribed.
  /// - Returns: the two infallibles, which share one subscription of the source.
  @inlinable public func partition(
    _ predicate: @escaping (Element) -> Bool
  ) -> (matches: Infallible<Element>, nonMatches: Infallible<Element>) {
    let (matches, nonMatches) = asObservable().partition(predicate)
    return (matches: Infallible(matches), nonMatches: Infallible(nonMatches))
  }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Makes two maybes of the single, of which one gets the element.
  ///
  /// - Parameter predicate: whether the element belongs to the matches; what it throws is the error of both.
  /// - Returns: the two maybes, which share one subscription of the single while it runs.
  @inlinable public func partition(
    _ predicate: @escaping (Element) throws -> Bool
  ) -> (matches: Maybe<Element>, nonMatches: Maybe<Element>) {
    let (matches, nonMatches) = primitiveSequence.source.partition(predicate)
    return (matches: Maybe(raw: matches), nonMatches: Maybe(raw: nonMatches))
  }
}
