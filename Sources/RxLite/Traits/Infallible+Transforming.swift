extension InfallibleType {
  /// Transforms each element.
  @preconcurrency @inlinable public func map<Result>(
    _ transform: @escaping @Sendable (Element) -> Result
  ) -> Infallible<Result> {
    Infallible(asObservable().map(transform))
  }

  /// Transforms each element and drops `nil` results.
  @preconcurrency @inlinable public func compactMap<Result>(
    _ transform: @escaping @Sendable (Element) -> Result?
  ) -> Infallible<Result> {
    Infallible(asObservable().compactMap(transform))
  }

  /// Transforms each element into an infallible and merges the infallibles.
  @preconcurrency @inlinable public func flatMap<Source: InfallibleType>(
    _ selector: @escaping @Sendable (Element) -> Source
  ) -> Infallible<Source.Element> {
    Infallible(asObservable().flatMap(selector))
  }

  /// Transforms each element into an infallible and follows only the latest.
  @preconcurrency @inlinable public func flatMapLatest<Source: InfallibleType>(
    _ selector: @escaping @Sendable (Element) -> Source
  ) -> Infallible<Source.Element> {
    Infallible(asObservable().flatMapLatest(selector))
  }

  /// Transforms an element into an infallible, and drops the elements that arrive while it runs.
  @preconcurrency @inlinable public func flatMapFirst<Source: InfallibleType>(
    _ selector: @escaping @Sendable (Element) -> Source
  ) -> Infallible<Source.Element> {
    Infallible(asObservable().flatMapFirst(selector))
  }

  /// Transforms each element into an infallible and sends the elements of one infallible after the other.
  @preconcurrency @inlinable public func concatMap<Source: InfallibleType>(
    _ selector: @escaping @Sendable (Element) -> Source
  ) -> Infallible<Source.Element> {
    Infallible(asObservable().concatMap(selector))
  }

  /// Accumulates the elements and sends each intermediate result.
  ///
  /// - Parameters:
  ///   - seed: the initial value; each subscription gets a copy.
  ///   - accumulator: updates the result with an element.
  /// - Returns: the sequence of results.
  @preconcurrency @inlinable public func scan<A>(
    into seed: A, accumulator: @escaping @Sendable (inout A, Element) -> Void
  ) -> Infallible<A> {
    Infallible(asObservable().scan(into: seed, accumulator: accumulator))
  }

  /// Accumulates the elements and sends each intermediate result.
  ///
  /// - Parameters:
  ///   - seed: the initial value of each subscription.
  ///   - accumulator: returns the next result for the previous one and an element.
  /// - Returns: the sequence of results.
  @preconcurrency @inlinable public func scan<A>(
    _ seed: A, accumulator: @escaping @Sendable (A, Element) -> A
  ) -> Infallible<A> {
    Infallible(asObservable().scan(seed, accumulator: accumulator))
  }
}
