extension ObservableType {
  /// Counts the elements and sends their number on completion.
  ///
  /// - Returns: a sequence of one number; an error of the source ends it without one.
  @inlinable public func count() -> Observable<Int> {
    reduce(0) { count, _ in count + 1 }
  }

  /// Counts the elements that satisfy a predicate and sends their number on completion.
  ///
  /// - Parameter predicate: returns `true` to count an element. An error that it throws ends the sequence.
  /// - Returns: a sequence of one number; an error of the source ends it without one.
  @preconcurrency @inlinable public func count(_ predicate: @escaping @Sendable (Element) throws -> Bool)
    -> Observable<Int>
  {
    reduce(0) { count, element in try predicate(element) ? count + 1 : count }
  }
}

extension InfallibleType {
  /// Counts the elements and sends their number on completion.
  ///
  /// - Returns: an infallible of one number.
  @inlinable public func count() -> Infallible<Int> {
    Infallible(asObservable().count())
  }

  /// Counts the elements that satisfy a predicate and sends their number on completion.
  ///
  /// - Parameter predicate: returns `true` to count an element.
  /// - Returns: an infallible of one number.
  @preconcurrency @inlinable public func count(_ predicate: @escaping @Sendable (Element) -> Bool)
    -> Infallible<Int>
  {
    Infallible(asObservable().count(predicate))
  }
}
