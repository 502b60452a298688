extension InfallibleType {
  /// Subscribes a closure to all events.
  ///
  /// - Parameter on: receives the events, on the thread that produces them.
  /// - Returns: the subscription.
  @preconcurrency @inlinable public func subscribe(
    _ on: @escaping @Sendable (InfallibleEvent<Element>) -> Void
  ) -> any Disposable {
    subscribe(onNext: { on(.next($0)) }, onCompleted: { on(.completed) })
  }

  /// Subscribes a closure for each kind of event.
  ///
  /// - Parameters:
  ///   - onNext: receives each element.
  ///   - onCompleted: called when the sequence ends.
  ///   - onDisposed: called once when the subscription ends, for any reason.
  /// - Returns: the subscription.
  @preconcurrency @inlinable public func subscribe(
    onNext: (@Sendable (Element) -> Void)? = nil, onCompleted: (@Sendable () -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    asObservable().subscribe(
      onNext: onNext, onError: nil, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Subscribes closures that receive an object.
  ///
  /// The subscription does not retain the object. After the object is released, the closures are not called.
  ///
  /// - Parameters:
  ///   - object: passed to each closure while it is alive.
  ///   - onNext: receives each element.
  ///   - onCompleted: called when the sequence ends.
  ///   - onDisposed: called once when the subscription ends.
  /// - Returns: the subscription.
  @preconcurrency public func subscribe<Object: AnyObject & Sendable>(
    with object: Object, onNext: (@Sendable (Object, Element) -> Void)? = nil,
    onCompleted: (@Sendable (Object) -> Void)? = nil, onDisposed: (@Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    asObservable().subscribe(
      with: object, onNext: onNext, onError: nil, onCompleted: onCompleted, onDisposed: onDisposed)
  }
}
