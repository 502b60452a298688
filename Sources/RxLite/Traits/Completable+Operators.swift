extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  /// Returns a completable that fails at once.
  public static func error(_ error: any Error) -> Completable {
    Completable(raw: .error(error))
  }

  /// Returns a completable that never ends.
  public static func never() -> Completable {
    Completable(raw: .never())
  }

  /// Returns a completable that completes at once.
  public static func empty() -> Completable {
    Completable(raw: .empty())
  }

  /// Returns the completable as a maybe without an element.
  @inlinable public func asMaybe() -> Maybe<Never> {
    Maybe(raw: primitiveSequence.source)
  }

  /// Returns the completable itself.
  @inlinable public func asCompletable() -> Completable {
    primitiveSequence
  }

  /// Calls closures for the events without changing them.
  ///
  /// An error that a closure throws becomes the error of the completable if no result was delivered before.
  ///
  /// - Parameters:
  ///   - onError: called with the error, before it is delivered.
  ///   - afterError: called with the error, after it is delivered; an error that it throws is ignored.
  ///   - onCompleted: called before the completion is delivered.
  ///   - afterCompleted: called after the completion is delivered; an error that it throws is ignored.
  ///   - onSubscribe: called before the subscription.
  ///   - onSubscribed: called after the subscription.
  ///   - onDispose: called when the subscription ends, for any reason.
  /// - Returns: the same completable.
  @preconcurrency public func `do`(
    onError: (@Sendable (any Error) throws -> Void)? = nil,
    afterError: (@Sendable (any Error) throws -> Void)? = nil,
    onCompleted: (@Sendable () throws -> Void)? = nil, afterCompleted: (@Sendable () throws -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil, onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Completable {
    Completable(
      raw: primitiveSequence.source.do(
        onError: onError, afterError: afterError, onCompleted: onCompleted, afterCompleted: afterCompleted,
        onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
  }
}
