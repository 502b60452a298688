/// The trait of a `Maybe`.
public enum MaybeTrait {}

/// A sequence of at most one element, or an error, such as a cache lookup.
///
/// ```swift
/// let cached = Maybe.just(21).filter { $0 > 10 }
/// let subscription = cached.subscribe(onSuccess: { print($0) }, onCompleted: { print("nothing") })
/// ```
public typealias Maybe<Element> = PrimitiveSequence<MaybeTrait, Element>

/// The event that ends a `Maybe`.
@frozen public enum MaybeEvent<Element> {
  /// The maybe ended with its one element.
  case success(Element)
  /// The maybe failed.
  case error(any Error)
  /// The maybe ended without an element.
  case completed
}

extension MaybeEvent: Sendable where Element: Sendable {}

extension PrimitiveSequenceType where Trait == MaybeTrait {
  /// A closure that receives the one event of a maybe.
  public typealias MaybeObserver = @Sendable (MaybeEvent<Element>) -> Void

  /// Creates a maybe from a closure that is called for each subscription.
  ///
  /// - Parameter subscribe: starts the work and reports its end to the observer that it receives, from any
  ///   thread. Only the first report counts. The returned disposable is disposed with the subscription.
  /// - Returns: the maybe.
  @preconcurrency @inlinable public static func create(
    subscribe: @escaping @Sendable (@escaping MaybeObserver) -> any Disposable
  ) -> Maybe<Element> {
    Maybe(
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
  @preconcurrency @inlinable public func subscribe(
    _ observer: @escaping @Sendable (MaybeEvent<Element>) -> Void
  ) -> any Disposable {
    subscribe(
      onSuccess: { observer(.success($0)) }, onError: { observer(.error($0)) },
      onCompleted: { observer(.completed) })
  }

  /// Subscribes a closure for each kind of event.
  ///
  /// - Parameters:
  ///   - onSuccess: receives the element.
  ///   - onError: receives the error. Without it the error goes to `Hooks.defaultErrorHandler`.
  ///   - onCompleted: called if the maybe ends without an element.
  ///   - onDisposed: called once when the subscription ends, for any reason.
  /// - Returns: the subscription.
  @preconcurrency @inlinable public func subscribe(
    onSuccess: (@Sendable (Element) -> Void)? = nil, onError: (@Sendable (any Error) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil, onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    primitiveSequence.source.subscribeOnce(
      onElement: onSuccess, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Subscribes closures that receive an object.
  ///
  /// The subscription does not retain the object. After the object is released, the closures are not called.
  ///
  /// - Parameters:
  ///   - object: passed to each closure while it is alive.
  ///   - onSuccess: receives the element.
  ///   - onError: receives the error. Without it the error goes to `Hooks.defaultErrorHandler`.
  ///   - onCompleted: called if the maybe ends without an element.
  ///   - onDisposed: called once when the subscription ends.
  /// - Returns: the subscription.
  @preconcurrency public func subscribe<Object: AnyObject & Sendable>(
    with object: Object, onSuccess: (@Sendable (Object, Element) -> Void)? = nil,
    onError: (@Sendable (Object, any Error) -> Void)? = nil, onCompleted: (@Sendable (Object) -> Void)? = nil,
    onDisposed: (@Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onSuccess: onSuccess.map { weakly(object, $0) },
      onError: onError.map { weakly(object, $0) },
      onCompleted: onCompleted.map { weakly(object, $0) },
      onDisposed: onDisposed.map { weakly(object, $0) })
  }
}
