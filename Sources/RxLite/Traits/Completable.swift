/// The trait of a `Completable`.
public enum CompletableTrait {}

/// A sequence without elements that completes or fails, such as a write operation.
///
/// ```swift
/// let saved = Completable.empty()
/// let subscription = saved.subscribe(onCompleted: { print("saved") }, onError: { print($0) })
/// ```
public typealias Completable = PrimitiveSequence<CompletableTrait, Never>

/// The event that ends a `Completable`.
@frozen public enum CompletableEvent: Sendable {
  /// The operation failed.
  case error(any Error)
  /// The operation completed.
  case completed
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  /// A closure that receives the one event of a completable.
  public typealias CompletableObserver = @Sendable (CompletableEvent) -> Void

  /// Creates a completable from a closure that is called for each subscription.
  ///
  /// - Parameter subscribe: starts the work and reports its end to the observer that it receives, from any
  ///   thread. Only the first report counts. The returned disposable is disposed with the subscription.
  /// - Returns: the completable.
  @preconcurrency @inlinable public static func create(
    subscribe: @escaping @Sendable (@escaping CompletableObserver) -> any Disposable
  ) -> Completable {
    Completable(
      raw: Observable { observer in
        let report = SingleResultObserver(observer)
        report.assign(subscribe { report.send($0) })
        return report
      })
  }

  /// Subscribes a closure to the one event.
  ///
  /// - Parameter observer: receives the event, on the thread that produces it.
  /// - Returns: the subscription.
  @preconcurrency @inlinable public func subscribe(_ observer: @escaping @Sendable (CompletableEvent) -> Void)
    -> any Disposable
  {
    subscribe(onCompleted: { observer(.completed) }, onError: { observer(.error($0)) })
  }

  /// Subscribes a closure for each kind of event.
  ///
  /// - Parameters:
  ///   - onCompleted: called if the completable completes.
  ///   - onError: receives the error. Without it the error goes to `Hooks.defaultErrorHandler`.
  ///   - onDisposed: called once when the subscription ends, for any reason.
  /// - Returns: the subscription.
  @preconcurrency @inlinable public func subscribe(
    onCompleted: (@Sendable () -> Void)? = nil, onError: (@Sendable (any Error) -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    primitiveSequence.source.subscribe(
      onNext: nil, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Subscribes closures that receive an object.
  ///
  /// The subscription does not retain the object. After the object is released, the closures are not called.
  ///
  /// - Parameters:
  ///   - object: passed to each closure while it is alive.
  ///   - onCompleted: called if the completable completes.
  ///   - onError: receives the error. Without it the error goes to `Hooks.defaultErrorHandler`.
  ///   - onDisposed: called once when the subscription ends.
  /// - Returns: the subscription.
  @preconcurrency public func subscribe<Object: AnyObject & Sendable>(
    with object: Object, onCompleted: (@Sendable (Object) -> Void)? = nil,
    onError: (@Sendable (Object, any Error) -> Void)? = nil, onDisposed: (@Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    primitiveSequence.source.subscribe(
      with: object, onNext: nil, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
  }
}
