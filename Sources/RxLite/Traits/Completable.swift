/// Names the promise of a `Completable`.
public enum CompletableTrait {}

/// A sequence without elements: it completes or fails, the shape of a write.
///
/// ```swift
/// let saved = Completable.empty()
/// let subscription = saved.subscribe(onCompleted: { print("saved") }, onError: { print($0) })
/// ```
public typealias Completable = PrimitiveSequence<CompletableTrait, Never>

/// How a `Completable` ends.
@frozen public enum CompletableEvent: Sendable {
  /// It failed.
  case error(any Error)
  /// It ended well.
  case completed
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  /// Receives the one event of a completable.
  public typealias CompletableObserver = @Sendable (CompletableEvent) -> Void

  /// Makes a completable of a closure that is called for each subscription.
  ///
  /// - Parameter subscribe: starts the work and reports its end to the observer it gets, from any thread; only
  ///   the first report counts. What it returns is disposed with the subscription.
  /// - Returns: the completable.
  @inlinable public static func create(
    subscribe: @escaping (@escaping CompletableObserver) -> any Disposable
  ) -> Completable {
    Completable(
      raw: Observable { observer in
        let report = FirstReport(observer)
        report.assign(subscribe { report.send($0) })
        return report
      })
  }

  /// Subscribes a closure to the one event.
  ///
  /// - Parameter observer: receives it, on the thread that produces it.
  /// - Returns: the subscription.
  @inlinable public func subscribe(_ observer: @escaping (CompletableEvent) -> Void) -> any Disposable {
    subscribe(onCompleted: { observer(.completed) }, onError: { observer(.error($0)) })
  }

  /// Subscribes one closure for each way to end.
  ///
  /// - Parameters:
  ///   - onCompleted: called where it ends well.
  ///   - onError: receives the error; without it the error goes to `Hooks.defaultErrorHandler`.
  ///   - onDisposed: called once when the subscription ends, for whatever reason.
  /// - Returns: the subscription.
  @inlinable public func subscribe(
    onCompleted: (() -> Void)? = nil, onError: ((any Error) -> Void)? = nil,
    onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    primitiveSequence.source.subscribe(
      onNext: nil, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Subscribes closures that get an object, which is not kept alive and whose end silences them.
  ///
  /// - Parameters:
  ///   - object: handed to each closure while it lives.
  ///   - onCompleted: called where it ends well.
  ///   - onError: receives the error; without it the error goes to `Hooks.defaultErrorHandler`.
  ///   - onDisposed: called once when the subscription ends.
  /// - Returns: the subscription.
  public func subscribe<Object: AnyObject>(
    with object: Object, onCompleted: ((Object) -> Void)? = nil,
    onError: ((Object, any Error) -> Void)? = nil, onDisposed: ((Object) -> Void)? = nil
  ) -> any Disposable {
    primitiveSequence.source.subscribe(
      with: object, onNext: nil, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
  }
}
