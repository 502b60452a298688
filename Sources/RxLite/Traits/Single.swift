/// The trait of a `Single`.
public enum SingleTrait {}

/// A sequence of exactly one element or an error, such as a request.
///
/// ```swift
/// let answer = Single.just(21).map { $0 * 2 }
/// let subscription = answer.subscribe(onSuccess: { print($0) }, onFailure: { print($0) })
/// ```
public typealias Single<Element> = PrimitiveSequence<SingleTrait, Element>

/// The event that ends a `Single`.
public typealias SingleEvent<Element> = Result<Element, any Error>

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// A closure that receives the one event of a single.
  public typealias SingleObserver = @Sendable (SingleEvent<Element>) -> Void

  /// Creates a single from a closure that is called for each subscription.
  ///
  /// - Parameter subscribe: starts the work and reports its end to the observer that it receives, from any
  ///   thread. Only the first report counts. The returned disposable is disposed with the subscription.
  /// - Returns: the single.
  @preconcurrency @inlinable public static func create(
    subscribe: @escaping @Sendable (@escaping SingleObserver) -> any Disposable
  ) -> Single<Element> {
    Single(
      raw: Observable { observer in
        let report = SingleResultObserver(observer)
        report.assign(subscribe { report.send($0) })
        return report
      })
  }

  /// `create` with a closure of the library that receives the context of the subscription.
  package static func creating(
    _ subscribe: @escaping @Sendable (SubscriptionContext?, @escaping SingleObserver) -> any Disposable
  ) -> Single<Element> {
    Single(
      raw: Observable { observer in
        let report = SingleResultObserver(observer)
        report.assign(subscribe(observer.context) { report.send($0) })
        return report
      })
  }

  /// Subscribes a closure to the one event.
  ///
  /// - Parameter observer: receives the event, on the thread that produces it.
  /// - Returns: the subscription.
  @preconcurrency @inlinable public func subscribe(
    _ observer: @escaping @Sendable (SingleEvent<Element>) -> Void
  ) -> any Disposable {
    subscribe(onSuccess: { observer(.success($0)) }, onFailure: { observer(.failure($0)) })
  }

  /// Subscribes a closure for each kind of event.
  ///
  /// - Parameters:
  ///   - onSuccess: receives the element.
  ///   - onFailure: receives the error. Without it the error goes to `Hooks.defaultErrorHandler`.
  ///   - onDisposed: called once when the subscription ends, for any reason.
  /// - Returns: the subscription.
  @preconcurrency @inlinable public func subscribe(
    onSuccess: (@Sendable (Element) -> Void)? = nil, onFailure: (@Sendable (any Error) -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    primitiveSequence.source.subscribeOnce(
      onElement: onSuccess, onError: onFailure, onCompleted: nil, onDisposed: onDisposed)
  }

  /// Subscribes closures that receive an object.
  ///
  /// The subscription does not retain the object. After the object is released, the closures are not called.
  ///
  /// - Parameters:
  ///   - object: passed to each closure while it is alive.
  ///   - onSuccess: receives the element.
  ///   - onFailure: receives the error. Without it the error goes to `Hooks.defaultErrorHandler`.
  ///   - onDisposed: called once when the subscription ends.
  /// - Returns: the subscription.
  @preconcurrency public func subscribe<Object: AnyObject & Sendable>(
    with object: Object, onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
    onFailure: (@Sendable (Object, any Error) -> Void)? = nil, onDisposed: (@Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onSuccess: onSuccess.map { weakly(object, $0) },
      onFailure: onFailure.map { weakly(object, $0) },
      onDisposed: onDisposed.map { weakly(object, $0) })
  }
}
