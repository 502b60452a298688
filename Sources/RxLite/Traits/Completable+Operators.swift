extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  /// A completable that fails at once.
  public static func error(_ error: any Error) -> Completable {
    Completable(raw: .error(error))
  }

  /// A completable that never ends.
  public static func never() -> Completable {
    Completable(raw: .never())
  }

  /// A completable that ends well at once.
  public static func empty() -> Completable {
    Completable(raw: .empty())
  }

  /// The completable as a maybe, which never has an element.
  @inlinable public func asMaybe() -> Maybe<Never> {
    Maybe(raw: primitiveSequence.source)
  }

  /// The completable itself.
  @inlinable public func asCompletable() -> Completable {
    primitiveSequence
  }

  /// Watches without taking part; what a closure throws is the error.
  ///
  /// - Parameters:
  ///   - onError: called with the error, before it is delivered.
  ///   - afterError: called with the error, after it is delivered.
  ///   - onCompleted: called at the end, before it is delivered.
  ///   - afterCompleted: called at the end, after it is delivered.
  ///   - onSubscribe: called before the subscription.
  ///   - onSubscribed: called after the subscription.
  ///   - onDispose: called when the subscription ends.
  /// - Returns: the same completable.
  public func `do`(
    onError: ((any Error) throws -> Void)? = nil, afterError: ((any Error) throws -> Void)? = nil,
    onCompleted: (() throws -> Void)? = nil, afterCompleted: (() throws -> Void)? = nil,
    onSubscribe: (() -> Void)? = nil, onSubscribed: (() -> Void)? = nil, onDispose: (() -> Void)? = nil
  ) -> Completable {
    Completable(
      raw: primitiveSequence.source.do(
        onError: onError, afterError: afterError, onCompleted: onCompleted, afterCompleted: afterCompleted,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }
}
