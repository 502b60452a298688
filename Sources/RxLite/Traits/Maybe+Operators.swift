extension PrimitiveSequenceType where Trait == MaybeTrait {
  /// A maybe of one given element.
  @inlinable public static func just(_ element: Element) -> Maybe<Element> {
    Maybe(raw: .just(element))
  }

  /// A maybe of one given element, sent on a scheduler.
  public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Maybe<Element> {
    Maybe(raw: .just(element, scheduler: scheduler))
  }

  /// A maybe that fails at once.
  public static func error(_ error: any Error) -> Maybe<Element> {
    Maybe(raw: .error(error))
  }

  /// A maybe that never ends.
  public static func never() -> Maybe<Element> {
    Maybe(raw: .never())
  }

  /// A maybe that ends at once, without an element.
  public static func empty() -> Maybe<Element> {
    Maybe(raw: .empty())
  }

  /// Transforms the element; what `transform` throws is the error.
  @inlinable public func map<Result>(_ transform: @escaping (Element) throws -> Result) -> Maybe<Result> {
    Maybe(raw: primitiveSequence.source.map(transform))
  }

  /// Keeps the element where it satisfies a predicate; what `predicate` throws is the error.
  @inlinable public func filter(_ predicate: @escaping (Element) throws -> Bool) -> Maybe<Element> {
    Maybe(raw: primitiveSequence.source.filter(predicate))
  }

  /// Transforms the element, or drops it where it becomes `nil`; what `transform` throws is the error.
  @inlinable public func compactMap<Result>(
    _ transform: @escaping (Element) throws -> Result?
  ) -> Maybe<Result> {
    Maybe(raw: primitiveSequence.source.compactMap(transform))
  }

  /// Continues with the maybe made of the element, if there is one.
  ///
  /// - Parameter selector: makes it; what it throws is the error.
  /// - Returns: the maybe that ends as the second does, or without an element where the first does.
  @inlinable public func flatMap<Result>(
    _ selector: @escaping (Element) throws -> Maybe<Result>
  ) -> Maybe<Result> {
    Maybe(raw: primitiveSequence.source.flatMap { try selector($0).source })
  }

  /// Continues with a given element when this fails.
  public func catchAndReturn(_ element: Element) -> Maybe<Element> {
    Maybe(raw: primitiveSequence.source.catchAndReturn(element))
  }

  /// The maybe as a single, with a given element where it has none.
  @inlinable public func ifEmpty(default element: Element) -> Single<Element> {
    Single(raw: primitiveSequence.source.ifEmpty(default: element))
  }

  /// Continues with another maybe where this one has no element.
  @inlinable public func ifEmpty(switchTo other: Maybe<Element>) -> Maybe<Element> {
    Maybe(raw: primitiveSequence.source.ifEmpty(switchTo: other.source))
  }

  /// Continues with a single where this has no element.
  @inlinable public func ifEmpty(switchTo other: Single<Element>) -> Single<Element> {
    Single(raw: primitiveSequence.source.ifEmpty(switchTo: other.source))
  }

  /// The maybe as a single, which fails with `RxError.noElements` where there is no element.
  @inlinable public func asSingle() -> Single<Element> {
    primitiveSequence.source.asSingle()
  }

  /// How the maybe ends, without its element.
  @inlinable public func asCompletable() -> Completable {
    primitiveSequence.source.ignoreElements().asCompletable()
  }

  /// Watches without taking part; what a closure throws is the error.
  ///
  /// - Parameters:
  ///   - onNext: called with the element, before it is delivered.
  ///   - afterNext: called with the element, after it is delivered.
  ///   - onError: called with the error, before it is delivered.
  ///   - afterError: called with the error, after it is delivered.
  ///   - onCompleted: called at the end, before it is delivered; after an element, too.
  ///   - afterCompleted: called at the end, after it is delivered; after an element, too.
  ///   - onSubscribe: called before the subscription.
  ///   - onSubscribed: called after the subscription.
  ///   - onDispose: called when the subscription ends.
  /// - Returns: the same maybe.
  public func `do`(
    onNext: ((Element) throws -> Void)? = nil, afterNext: ((Element) throws -> Void)? = nil,
    onError: ((any Error) throws -> Void)? = nil, afterError: ((any Error) throws -> Void)? = nil,
    onCompleted: (() throws -> Void)? = nil, afterCompleted: (() throws -> Void)? = nil,
    onSubscribe: (() -> Void)? = nil, onSubscribed: (() -> Void)? = nil, onDispose: (() -> Void)? = nil
  ) -> Maybe<Element> {
    Maybe(
      raw: primitiveSequence.source.do(
        onNext: onNext, afterNext: afterNext, onError: onError, afterError: afterError,
        onCompleted: onCompleted, afterCompleted: afterCompleted, onSubscribe: onSubscribe,
        onSubscribed: onSubscribed, onDispose: onDispose))
  }
}
