// Subscriptions to infallibles with closures of the main actor. The delivery is that of
// `subscribe(onMain:onError:onCompleted:onDisposed:)` of `ObservableType`.

extension InfallibleType {
  /// Subscribes closures that run on the main actor.
  ///
  /// Events are delivered one at a time and in order: at once if they arrive on the main queue and no earlier
  /// one is pending, otherwise when the main queue runs them. After a `dispose()` on the main actor, no
  /// closure except `onDisposed` is called.
  ///
  /// - Parameters:
  ///   - onNext: receives each element.
  ///   - onCompleted: called when the sequence ends.
  ///   - onDisposed: called once when the subscription ends, for any reason.
  /// - Returns: the subscription.
  @inlinable public func subscribe(
    onMain onNext: @escaping @MainActor @Sendable (Element) -> Void,
    onCompleted: (@MainActor @Sendable () -> Void)? = nil,
    onDisposed: (@MainActor @Sendable () -> Void)? = nil
  ) -> any Disposable {
    asObservable().subscribe(
      onMain: onNext, onError: nil, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Subscribes closures that run on the main actor and receive an object.
  ///
  /// The subscription does not retain the object. After the object is released, the closures are not called.
  ///
  /// - Parameters:
  ///   - object: passed to each closure while it is alive.
  ///   - onNext: receives each element.
  ///   - onCompleted: called when the sequence ends.
  ///   - onDisposed: called once when the subscription ends.
  /// - Returns: the subscription.
  @inlinable public func subscribe<Object: AnyObject & Sendable>(
    with object: Object, onMain onNext: @escaping @MainActor @Sendable (Object, Element) -> Void,
    onCompleted: (@MainActor @Sendable (Object) -> Void)? = nil,
    onDisposed: (@MainActor @Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    asObservable().subscribe(
      with: object, onMain: onNext, onError: nil, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Subscribes a closure that runs on the main actor to the elements.
  @inlinable public func bind(onMain onNext: @escaping @MainActor @Sendable (Element) -> Void)
    -> any Disposable
  {
    subscribe(onMain: onNext)
  }

  /// Subscribes a closure that runs on the main actor and receives an object.
  ///
  /// The subscription does not retain the object. After the object is released, the closure is not called.
  ///
  /// - Parameters:
  ///   - object: passed to the closure while it is alive.
  ///   - onNext: receives each element.
  /// - Returns: the subscription.
  @inlinable public func bind<Object: AnyObject & Sendable>(
    with object: Object, onMain onNext: @escaping @MainActor @Sendable (Object, Element) -> Void
  ) -> any Disposable {
    subscribe(with: object, onMain: onNext)
  }
}
