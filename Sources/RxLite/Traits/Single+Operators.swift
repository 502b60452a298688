extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Returns a single of one element.
  @inlinable public static func just(_ element: Element) -> Single<Element> {
    Single(raw: .just(element))
  }

  /// Returns a single of one element, which is sent on a scheduler.
  public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Single<Element> {
    Single(raw: .just(element, scheduler: scheduler))
  }

  /// Returns a single that fails at once.
  public static func error(_ error: any Error) -> Single<Element> {
    Single(raw: .error(error))
  }

  /// Returns a single that never ends.
  public static func never() -> Single<Element> {
    Single(raw: .never())
  }

  /// Transforms the element; an error that `transform` throws becomes the error of the single.
  @preconcurrency @inlinable public func map<Result>(
    _ transform: @escaping @Sendable (Element) throws -> Result
  ) -> Single<Result> {
    Single(raw: primitiveSequence.source.map(transform))
  }

  /// Does the same as `map`, for closures of the library, which may capture values that are not `Sendable`.
  @inlinable @inline(__always) package func mapping<Result>(
    _ transform: @escaping (Element) throws -> Result
  ) -> Single<Result> {
    Single(raw: primitiveSequence.source.mapping(transform))
  }

  /// Transforms the element into another single and follows it.
  ///
  /// - Parameter selector: returns the second single. If it throws, the result fails with that error.
  /// - Returns: a single that ends as the second does.
  @preconcurrency @inlinable public func flatMap<Result>(
    _ selector: @escaping @Sendable (Element) throws -> Single<Result>
  ) -> Single<Result> {
    Single(raw: primitiveSequence.source.flatMap { try selector($0).source })
  }

  /// Transforms the element into a maybe and follows it.
  ///
  /// - Parameter selector: returns the maybe. If it throws, the result fails with that error.
  /// - Returns: a maybe that ends as the second does.
  @preconcurrency @inlinable public func flatMapMaybe<Result>(
    _ selector: @escaping @Sendable (Element) throws -> Maybe<Result>
  ) -> Maybe<Result> {
    Maybe(raw: primitiveSequence.source.flatMap { try selector($0).source })
  }

  /// Transforms the element into a completable and follows it.
  ///
  /// - Parameter selector: returns the completable. If it throws, the result fails with that error.
  /// - Returns: a completable that ends as the second does.
  @preconcurrency @inlinable public func flatMapCompletable(
    _ selector: @escaping @Sendable (Element) throws -> Completable
  ) -> Completable {
    Completable(raw: primitiveSequence.source.flatMap { try selector($0).source })
  }

  /// Forwards the element if it satisfies a predicate; an error that `predicate` throws becomes the error of
  /// the maybe.
  @preconcurrency @inlinable public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool)
    -> Maybe<Element>
  {
    asMaybe().filter(predicate)
  }

  /// Transforms the element and drops a `nil` result; an error that `transform` throws becomes the error of
  /// the maybe.
  @preconcurrency @inlinable public func compactMap<Result>(
    _ transform: @escaping @Sendable (Element) throws -> Result?
  ) -> Maybe<Result> {
    asMaybe().compactMap(transform)
  }

  /// Continues with a given element if this single fails.
  public func catchAndReturn(_ element: Element) -> Single<Element> {
    Single(raw: primitiveSequence.source.catchAndReturn(element))
  }

  /// Returns the single itself.
  @inlinable public func asSingle() -> Single<Element> {
    primitiveSequence
  }

  /// Returns the single as a maybe, which always has an element.
  @inlinable public func asMaybe() -> Maybe<Element> {
    Maybe(raw: primitiveSequence.source)
  }

  /// Returns a completable that ends as the single does, without its element.
  @inlinable public func asCompletable() -> Completable {
    primitiveSequence.source.ignoreElements().asCompletable()
  }

  /// Calls closures for the events without changing them.
  ///
  /// An error that a closure throws becomes the error of the single if no result was delivered before.
  ///
  /// - Parameters:
  ///   - onSuccess: called with the element, before it is delivered.
  ///   - afterSuccess: called with the element, after it is delivered.
  ///   - onError: called with the error, before it is delivered.
  ///   - afterError: called with the error, after it is delivered; an error that it throws is ignored.
  ///   - onSubscribe: called before the subscription.
  ///   - onSubscribed: called after the subscription.
  ///   - onDispose: called when the subscription ends, for any reason.
  /// - Returns: the same single.
  @preconcurrency public func `do`(
    onSuccess: (@Sendable (Element) throws -> Void)? = nil,
    afterSuccess: (@Sendable (Element) throws -> Void)? = nil,
    onError: (@Sendable (any Error) throws -> Void)? = nil,
    afterError: (@Sendable (any Error) throws -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil, onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Single<Element> {
    Single(
      raw: primitiveSequence.source.do(
        onNext: onSuccess, afterNext: afterSuccess, onError: onError, afterError: afterError,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }
}
