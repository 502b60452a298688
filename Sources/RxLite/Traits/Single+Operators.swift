extension PrimitiveSequenceType where Trait == SingleTrait {
  /// A single of one given element.
  @inlinable public static func just(_ element: Element) -> Single<Element> {
    Single(raw: .just(element))
  }

  /// A single of one given element, sent on a scheduler.
  public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Single<Element> {
    Single(raw: .just(element, scheduler: scheduler))
  }

  /// A single that fails at once.
  public static func error(_ error: any Error) -> Single<Element> {
    Single(raw: .error(error))
  }

  /// A single that never ends.
  public static func never() -> Single<Element> {
    Single(raw: .never())
  }

  /// Transforms the element; what `transform` throws is the error.
  @inlinable public func map<Result>(_ transform: @escaping (Element) throws -> Result) -> Single<Result> {
    Single(raw: primitiveSequence.source.map(transform))
  }

  /// Continues with the single made of the element.
  ///
  /// - Parameter selector: makes it; what it throws is the error.
  /// - Returns: the single that ends as the second does.
  @inlinable public func flatMap<Result>(
    _ selector: @escaping (Element) throws -> Single<Result>
  ) -> Single<Result> {
    Single(raw: primitiveSequence.source.flatMap { try selector($0).source })
  }

  /// Continues with the maybe made of the element.
  ///
  /// - Parameter selector: makes it; what it throws is the error.
  /// - Returns: the maybe that ends as the second does.
  @inlinable public func flatMapMaybe<Result>(
    _ selector: @escaping (Element) throws -> Maybe<Result>
  ) -> Maybe<Result> {
    Maybe(raw: primitiveSequence.source.flatMap { try selector($0).source })
  }

  /// Continues with the completable made of the element.
  ///
  /// - Parameter selector: makes it; what it throws is the error.
  /// - Returns: the completable that ends as the second does.
  @inlinable public func flatMapCompletable(
    _ selector: @escaping (Element) throws -> Completable
  ) -> Completable {
    Completable(raw: primitiveSequence.source.flatMap { try selector($0).source })
  }

  /// Keeps the element where it satisfies a predicate; what `predicate` throws is the error.
  @inlinable public func filter(_ predicate: @escaping (Element) throws -> Bool) -> Maybe<Element> {
    asMaybe().filter(predicate)
  }

  /// Transforms the element, or drops it where it becomes `nil`; what `transform` throws is the error.
  @inlinable public func compactMap<Result>(
    _ transform: @escaping (Element) throws -> Result?
  ) -> Maybe<Result> {
    asMaybe().compactMap(transform)
  }

  /// Continues with a given element when this fails.
  public func catchAndReturn(_ element: Element) -> Single<Element> {
    Single(raw: primitiveSequence.source.catchAndReturn(element))
  }

  /// The single itself.
  @inlinable public func asSingle() -> Single<Element> {
    primitiveSequence
  }

  /// The single as a maybe, which always has its element.
  @inlinable public func asMaybe() -> Maybe<Element> {
    Maybe(raw: primitiveSequence.source)
  }

  /// How the single ends, without its element.
  @inlinable public func asCompletable() -> Completable {
    primitiveSequence.source.ignoreElements().asCompletable()
  }

  /// Watches without taking part; what a closure throws is the error.
  ///
  /// - Parameters:
  ///   - onSuccess: called with the element, before it is delivered.
  ///   - afterSuccess: called with the element, after it is delivered.
  ///   - onError: called with the error, before it is delivered.
  ///   - afterError: called with the error, after it is delivered.
  ///   - onSubscribe: called before the subscription.
  ///   - onSubscribed: called after the subscription.
  ///   - onDispose: called when the subscription ends.
  /// - Returns: the same single.
  public func `do`(
    onSuccess: ((Element) throws -> Void)? = nil, afterSuccess: ((Element) throws -> Void)? = nil,
    onError: ((any Error) throws -> Void)? = nil, afterError: ((any Error) throws -> Void)? = nil,
    onSubscribe: (() -> Void)? = nil, onSubscribed: (() -> Void)? = nil, onDispose: (() -> Void)? = nil
  ) -> Single<Element> {
    Single(
      raw: primitiveSequence.source.do(
        onNext: onSuccess, afterNext: afterSuccess, onError: onError, afterError: afterError,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }
}
