extension InfallibleType {
  /// Subscribes a closure to all events.
  ///
  /// - Parameter on: receives the events, on the thread that produces them.
  /// - Returns: the subscription.
  @inlinable public func subscribe(_ on: @escaping (InfallibleEvent<Element>) -> Void) -> any Disposable {
    subscribe(onNext: { on(.next($0)) }, onCompleted: { on(.completed) })
  }

  /// Subscribes a closure for each kind of event.
  ///
  /// - Parameters:
  ///   - onNext: receives each element.
  ///   - onCompleted: called when the sequence ends.
  ///   - onDisposed: called once when the subscription ends, for any reason.
  /// - Returns: the subscription.
  @inlinable public func subscribe(
    onNext: ((Element) -> Void)? = nil, onCompleted: (() -> Void)? = nil, onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    asObservable().subscribe(
      onNext: onNext, onError: nil, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Subscribes closures that receive an object, which is not kept alive; after its release they are not
  /// called.
  ///
  /// - Parameters:
  ///   - object: passed to each closure while it is alive.
  ///   - onNext: receives each element.
  ///   - onCompleted: called when the sequence ends.
  ///   - onDisposed: called once when the subscription ends.
  /// - Returns: the subscription.
  public func subscribe<Object: AnyObject>(
    with object: Object, onNext: ((Object, Element) -> Void)? = nil,
    onCompleted: ((Object) -> Void)? = nil, onDisposed: ((Object) -> Void)? = nil
  ) -> any Disposable {
    asObservable().subscribe(
      with: object, onNext: onNext, onError: nil, onCompleted: onCompleted, onDisposed: onDisposed)
  }
}
