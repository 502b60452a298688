extension InfallibleType {
  /// Transforms each element.
  @inlinable public func map<Result>(
    _ transform: @escaping (Element) -> Result
  ) -> Infallible<Result> {
    Infallible(asObservable().map(transform))
  }

  /// Transforms each element and drops those that become `nil`.
  @inlinable public func compactMap<Result>(
    _ transform: @escaping (Element) -> Result?
  ) -> Infallible<Result> {
    Infallible(asObservable().compactMap(transform))
  }

  /// Makes an infallible of each element and merges them all.
  @inlinable public func flatMap<Source: InfallibleType>(
    _ selector: @escaping (Element) -> Source
  ) -> Infallible<Source.Element> {
    Infallible(asObservable().flatMap(selector))
  }

  /// Makes an infallible of each element and follows only the latest.
  @inlinable public func flatMapLatest<Source: InfallibleType>(
    _ selector: @escaping (Element) -> Source
  ) -> Infallible<Source.Element> {
    Infallible(asObservable().flatMapLatest(selector))
  }

  /// Makes an infallible of an element, and drops the elements that come while it runs.
  @inlinable public func flatMapFirst<Source: InfallibleType>(
    _ selector: @escaping (Element) -> Source
  ) -> Infallible<Source.Element> {
    Infallible(asObservable().flatMapFirst(selector))
  }

  /// Makes an infallible of each element and sends them one after the other.
  @inlinable public func concatMap<Source: InfallibleType>(
    _ selector: @escaping (Element) -> Source
  ) -> Infallible<Source.Element> {
    Infallible(asObservable().concatMap(selector))
  }

  /// Accumulates the elements and sends each intermediate result.
  ///
  /// - Parameters:
  ///   - seed: where each subscription starts; copied for it.
  ///   - accumulator: changes the result by an element.
  /// - Returns: the sequence of results.
  @inlinable public func scan<A>(
    into seed: A, accumulator: @escaping (inout A, Element) -> Void
  ) -> Infallible<A> {
    Infallible(asObservable().scan(into: seed, accumulator: accumulator))
  }

  /// Accumulates the elements and sends each intermediate result.
  ///
  /// - Parameters:
  ///   - seed: where each subscription starts.
  ///   - accumulator: makes the next result of the last one and an element.
  /// - Returns: the sequence of results.
  @inlinable public func scan<A>(
    _ seed: A, accumulator: @escaping (A, Element) -> A
  ) -> Infallible<A> {
    Infallible(asObservable().scan(seed, accumulator: accumulator))
  }

  /// Sends a given element before those of the sequence.
  @inlinable public func startWith(_ element: Element) -> Infallible<Element> {
    Infallible(asObservable().startWith(element))
  }

  /// Shares one subscription to the source between all subscribers.
  ///
  /// - Parameters:
  ///   - replay: how many of the last elements a new subscriber gets at once.
  ///   - scope: whether what is replayed outlives the subscription to the source.
  /// - Returns: the shared sequence.
  @inlinable public func share(
    replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected
  ) -> Infallible<Element> {
    Infallible(asObservable().share(replay: replay, scope: scope))
  }
}

extension Infallible {
  /// Watches without taking part.
  ///
  /// The closures throw in form only: what they throw ends the sequence with an error that its subscribers do not
  /// expect and that goes to `Hooks.defaultErrorHandler`.
  ///
  /// - Parameters:
  ///   - onNext: called with each element, before it is delivered.
  ///   - afterNext: called with each element, after it is delivered.
  ///   - onCompleted: called at the end, before it is delivered.
  ///   - afterCompleted: called at the end, after it is delivered.
  ///   - onSubscribe: called before the subscription.
  ///   - onSubscribed: called after the subscription.
  ///   - onDispose: called when the subscription ends, for whatever reason.
  /// - Returns: the same sequence.
  @inlinable public func `do`(
    onNext: ((Element) throws -> Void)? = nil, afterNext: ((Element) throws -> Void)? = nil,
    onCompleted: (() throws -> Void)? = nil, afterCompleted: (() throws -> Void)? = nil,
    onSubscribe: (() -> Void)? = nil, onSubscribed: (() -> Void)? = nil, onDispose: (() -> Void)? = nil
  ) -> Infallible<Element> {
    Infallible(
      source.do(
        onNext: onNext, afterNext: afterNext, onCompleted: onCompleted, afterCompleted: afterCompleted,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }
}
