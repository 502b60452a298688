extension ObservableType {
  /// Subscribes closures that run on the main actor.
  ///
  /// Events are delivered one at a time and in order. An event that arrives on the main queue is delivered at
  /// once, unless an earlier one is still pending; an event that arrives on another thread waits, in an
  /// unbounded buffer, until the main queue runs it. After a `dispose()` on the main actor, no closure except
  /// `onDisposed` is called. After a `dispose()` on another thread, a closure that is already running
  /// continues to its end.
  ///
  /// The program has to drain the main queue: see `MainScheduler`.
  ///
  /// - Parameters:
  ///   - onNext: receives each element.
  ///   - onError: receives the error. Without it the error goes to `Hooks.defaultErrorHandler`, on the main
  ///     queue.
  ///   - onCompleted: called when the sequence ends.
  ///   - onDisposed: called once when the subscription ends for any reason: immediately if it ends on the
  ///     main queue, otherwise through the main queue.
  /// - Returns: the subscription.
  @inlinable public func subscribe(
    onMain onNext: @escaping @MainActor @Sendable (Element) -> Void,
    onError: (@MainActor @Sendable (any Error) -> Void)? = nil,
    onCompleted: (@MainActor @Sendable () -> Void)? = nil,
    onDisposed: (@MainActor @Sendable () -> Void)? = nil
  ) -> any Disposable {
    observe(on: MainScheduler()).subscribe(
      onNext: MainActorClosure.passing(onNext), onError: onError.map { MainActorClosure.passing($0) },
      onCompleted: onCompleted.map { MainActorClosure.calling($0) },
      onDisposed: onDisposed.map { MainActorClosure.anywhere($0) })
  }

  /// Subscribes closures that run on the main actor and receive an object.
  ///
  /// The subscription does not retain the object. After the object is released, the closures are not called.
  ///
  /// Events are delivered as by `subscribe(onMain:onError:onCompleted:onDisposed:)`.
  ///
  /// - Parameters:
  ///   - object: passed to each closure while it is alive.
  ///   - onNext: receives each element.
  ///   - onError: receives the error. Without it the error goes to `Hooks.defaultErrorHandler`, on the main
  ///     queue.
  ///   - onCompleted: called when the sequence ends.
  ///   - onDisposed: called once when the subscription ends.
  /// - Returns: the subscription.
  @inlinable public func subscribe<Object: AnyObject & Sendable>(
    with object: Object,
    onMain onNext: @escaping @MainActor @Sendable (Object, Element) -> Void,
    onError: (@MainActor @Sendable (Object, any Error) -> Void)? = nil,
    onCompleted: (@MainActor @Sendable (Object) -> Void)? = nil,
    onDisposed: (@MainActor @Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onMain: weaklyOnMain(object, onNext),
      onError: onError.map { weaklyOnMain(object, $0) },
      onCompleted: onCompleted.map { weaklyOnMain(object, $0) },
      onDisposed: onDisposed.map { weaklyOnMain(object, $0) })
  }

  /// Subscribes a closure to the elements; it runs on the main actor.
  ///
  /// An error goes to `Hooks.defaultErrorHandler`. Elements are delivered as by
  /// `subscribe(onMain:onError:onCompleted:onDisposed:)`.
  ///
  /// - Parameter onNext: receives each element.
  /// - Returns: the subscription.
  @inlinable public func bind(onMain onNext: @escaping @MainActor @Sendable (Element) -> Void)
    -> any Disposable
  {
    subscribe(onMain: onNext)
  }

  /// Subscribes a closure that runs on the main actor and receives an object.
  ///
  /// The subscription does not retain the object. After the object is released, the closure is not called.
  ///
  /// Events are delivered as by `subscribe(onMain:onError:onCompleted:onDisposed:)`.
  ///
  /// - Parameters:
  ///   - object: passed to the closure while it is alive.
  ///   - onNext: receives each element. An error goes to `Hooks.defaultErrorHandler`.
  /// - Returns: the subscription.
  @inlinable public func bind<Object: AnyObject & Sendable>(
    with object: Object, onMain onNext: @escaping @MainActor @Sendable (Object, Element) -> Void
  ) -> any Disposable {
    subscribe(with: object, onMain: onNext)
  }
}
