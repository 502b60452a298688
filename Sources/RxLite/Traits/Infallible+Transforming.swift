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

  /// Sends a given element before the elements of the sequence.
  @inlinable public func startWith(_ element: Element) -> Infallible<Element> {
    Infallible(asObservable().startWith(element))
  }

  /// Shares one subscription to the source among all subscribers.
  ///
  /// - Parameters:
  ///   - replay: the number of last elements that a new subscriber receives at once.
  ///   - scope: whether the replayed elements outlive the subscription to the source.
  /// - Returns: the shared sequence.
  @inlinable public func share(
    replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected
  ) -> Infallible<Element> {
    Infallible(asObservable().share(replay: replay, scope: scope))
  }
}

extension Infallible {
  /// Calls closures for the events without changing them.
  ///
  /// The closures are declared `throws` to match `Observable` and should never throw: an error ends the
  /// sequence and goes to `Hooks.defaultErrorHandler`, because subscribers do not expect it.
  ///
  /// - Parameters:
  ///   - onNext: called with each element, before it is delivered.
  ///   - afterNext: called with each element, after it is delivered.
  ///   - onCompleted: called before the completion is delivered.
  ///   - afterCompleted: called after the completion is delivered.
  ///   - onSubscribe: called before the subscription.
  ///   - onSubscribed: called after the subscription.
  ///   - onDispose: called when the subscription ends, for any reason.
  /// - Returns: the same sequence.
  @preconcurrency @inlinable public func `do`(
    onNext: (@Sendable (Element) throws -> Void)? = nil,
    afterNext: (@Sendable (Element) throws -> Void)? = nil,
    onCompleted: (@Sendable () throws -> Void)? = nil, afterCompleted: (@Sendable () throws -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil, onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Infallible<Element> {
    Infallible(
      source.do(
        onNext: onNext, afterNext: afterNext, onCompleted: onCompleted, afterCompleted: afterCompleted,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }
}
