extension PrimitiveSequenceType where Trait == MaybeTrait {
  /// Returns a maybe of one element.
  @inlinable public static func just(_ element: Element) -> Maybe<Element> {
    Maybe(raw: .just(element))
  }

  /// Returns a maybe of one element, which is sent on a scheduler.
  public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Maybe<Element> {
    Maybe(raw: .just(element, scheduler: scheduler))
  }

  /// Returns a maybe that fails at once.
  public static func error(_ error: any Error) -> Maybe<Element> {
    Maybe(raw: .error(error))
  }

  /// Returns a maybe that never ends.
  public static func never() -> Maybe<Element> {
    Maybe(raw: .never())
  }

  /// Returns a maybe that completes at once, without an element.
  public static func empty() -> Maybe<Element> {
    Maybe(raw: .empty())
  }

  /// Transforms the element; an error that `transform` throws becomes the error of the maybe.
  @preconcurrency @inlinable public func map<Result>(
    _ transform: @escaping @Sendable (Element) throws -> Result
  ) -> Maybe<Result> {
    Maybe(raw: primitiveSequence.source.map(transform))
  }

  /// Forwards the element if it satisfies a predicate; an error that `predicate` throws becomes the error of
  /// the maybe.
  @preconcurrency @inlinable public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool)
    -> Maybe<Element>
  {
    Maybe(raw: primitiveSequence.source.filter(predicate))
  }

  /// Transforms the element and drops a `nil` result; an error that `transform` throws becomes the error of
  /// the maybe.
  @preconcurrency @inlinable public func compactMap<Result>(
    _ transform: @escaping @Sendable (Element) throws -> Result?
  ) -> Maybe<Result> {
    Maybe(raw: primitiveSequence.source.compactMap(transform))
  }

  /// Transforms the element, if there is one, into another maybe and follows it.
  ///
  /// - Parameter selector: returns the second maybe. If it throws, the result fails with that error.
  /// - Returns: a maybe that ends as the second does, or without an element if the first has none.
  @preconcurrency @inlinable public func flatMap<Result>(
    _ selector: @escaping @Sendable (Element) throws -> Maybe<Result>
  ) -> Maybe<Result> {
    Maybe(raw: primitiveSequence.source.flatMap { try selector($0).source })
  }

  /// Continues with a given element if this maybe fails.
  public func catchAndReturn(_ element: Element) -> Maybe<Element> {
    Maybe(raw: primitiveSequence.source.catchAndReturn(element))
  }

  /// Returns the maybe as a single, with a given element if it has none.
  @inlinable public func ifEmpty(default element: Element) -> Single<Element> {
    Single(raw: primitiveSequence.source.ifEmpty(default: element))
  }

  /// Continues with another maybe if this one has no element.
  @inlinable public func ifEmpty(switchTo other: Maybe<Element>) -> Maybe<Element> {
    Maybe(raw: primitiveSequence.source.ifEmpty(switchTo: other.source))
  }

  /// Continues with a single if this maybe has no element.
  @inlinable public func ifEmpty(switchTo other: Single<Element>) -> Single<Element> {
    Single(raw: primitiveSequence.source.ifEmpty(switchTo: other.source))
  }

  /// Returns the maybe as a single, which fails with `RxError.noElements` if there is no element.
  @inlinable public func asSingle() -> Single<Element> {
    primitiveSequence.source.asSingle()
  }

  /// Returns a completable that ends as the maybe does, without its element.
  @inlinable public func asCompletable() -> Completable {
    primitiveSequence.source.ignoreElements().asCompletable()
  }

  /// Calls closures for the events without changing them.
  ///
  /// An error that a closure throws becomes the error of the maybe if no result was delivered before.
  ///
  /// - Parameters:
  ///   - onNext: called with the element, before it is delivered.
  ///   - afterNext: called with the element, after it is delivered.
  ///   - onError: called with the error, before it is delivered.
  ///   - afterError: called with the error, after it is delivered; an error that it throws is ignored.
  ///   - onCompleted: called before the completion is delivered, also after an element.
  ///   - afterCompleted: called after the completion is delivered, also after an element; an error that it
  ///     throws is ignored.
  ///   - onSubscribe: called before the subscription.
  ///   - onSubscribed: called after the subscription.
  ///   - onDispose: called when the subscription ends, for any reason.
  /// - Returns: the same maybe.
  @preconcurrency public func `do`(
    onNext: (@Sendable (Element) throws -> Void)? = nil,
    afterNext: (@Sendable (Element) throws -> Void)? = nil,
    onError: (@Sendable (any Error) throws -> Void)? = nil,
    afterError: (@Sendable (any Error) throws -> Void)? = nil,
    onCompleted: (@Sendable () throws -> Void)? = nil, afterCompleted: (@Sendable () throws -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil, onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Maybe<Element> {
    Maybe(
      raw: primitiveSequence.source.do(
        onNext: onNext, afterNext: afterNext, onError: onError, afterError: afterError,
        onCompleted: onCompleted, afterCompleted: afterCompleted, onSubscribe: onSubscribe,
        onSubscribed: onSubscribed, onDispose: onDispose))
  }
}
