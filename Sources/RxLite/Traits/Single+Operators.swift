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

  /// Continues with a given element when this fails.
  public func catchAndReturn(_ element: Element) -> Single<Element> {
    Single(raw: primitiveSequence.source.catchAndReturn(element))
  }

  /// The single itself.
  @inlinable public func asSingle() -> Single<Element> {
    primitiveSequence
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

  /// Pairs this single with another.
  public static func zip<First, Second>(
    _ first: Single<First>, _ second: Single<Second>,
    resultSelector: @escaping (First, Second) throws -> Element
  ) -> Single<Element> {
    Single(raw: .zip(first.source, second.source, resultSelector: resultSelector))
  }
}
