// Subscriptions to singles, maybes and completables with closures of the main actor. The delivery is that of
// `subscribe(onMain:onError:onCompleted:onDisposed:)` of `ObservableType`.

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Subscribes closures that run on the main actor.
  ///
  /// The result is delivered at once if it arrives on the main queue, and otherwise when the main queue runs
  /// it. After a `dispose()` on the main actor, no closure except `onDisposed` is called.
  ///
  /// - Parameters:
  ///   - onSuccess: receives the element.
  ///   - onFailure: receives the error. Without it the error goes to `Hooks.defaultErrorHandler`.
  ///   - onDisposed: called once when the subscription ends, for any reason.
  /// - Returns: the subscription.
  public func subscribe(
    onMain onSuccess: @escaping @MainActor @Sendable (Element) -> Void,
    onFailure: (@MainActor @Sendable (any Error) -> Void)? = nil,
    onDisposed: (@MainActor @Sendable () -> Void)? = nil
  ) -> any Disposable {
    primitiveSequence.observe(on: ConcurrentMainScheduler.instance).subscribe(
      onSuccess: MainActorClosure.passing(onSuccess),
      onFailure: onFailure.map { MainActorClosure.passing($0) },
      onDisposed: onDisposed.map { MainActorClosure.anywhere($0) })
  }

  /// Subscribes closures that run on the main actor and receive an object.
  ///
  /// The subscription does not retain the object. After the object is released, the closures are not called.
  ///
  /// - Parameters:
  ///   - object: passed to each closure while it is alive.
  ///   - onSuccess: receives the element.
  ///   - onFailure: receives the error. Without it the error goes to `Hooks.defaultErrorHandler`.
  ///   - onDisposed: called once when the subscription ends.
  /// - Returns: the subscription.
  public func subscribe<Object: AnyObject & Sendable>(
    with object: Object, onMain onSuccess: @escaping @MainActor @Sendable (Object, Element) -> Void,
    onFailure: (@MainActor @Sendable (Object, any Error) -> Void)? = nil,
    onDisposed: (@MainActor @Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onMain: weaklyOnMain(object, onSuccess),
      onFailure: onFailure.map { weaklyOnMain(object, $0) },
      onDisposed: onDisposed.map { weaklyOnMain(object, $0) })
  }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
  /// Subscribes closures that run on the main actor.
  ///
  /// The result is delivered at once if it arrives on the main queue, and otherwise when the main queue runs
  /// it. After a `dispose()` on the main actor, no closure except `onDisposed` is called.
  ///
  /// - Parameters:
  ///   - onSuccess: receives the element.
  ///   - onError: receives the error. Without it the error goes to `Hooks.defaultErrorHandler`.
  ///   - onCompleted: called if the maybe ends without an element.
  ///   - onDisposed: called once when the subscription ends, for any reason.
  /// - Returns: the subscription.
  public func subscribe(
    onMain onSuccess: @escaping @MainActor @Sendable (Element) -> Void,
    onError: (@MainActor @Sendable (any Error) -> Void)? = nil,
    onCompleted: (@MainActor @Sendable () -> Void)? = nil,
    onDisposed: (@MainActor @Sendable () -> Void)? = nil
  ) -> any Disposable {
    primitiveSequence.observe(on: ConcurrentMainScheduler.instance).subscribe(
      onSuccess: MainActorClosure.passing(onSuccess), onError: onError.map { MainActorClosure.passing($0) },
      onCompleted: onCompleted.map { MainActorClosure.calling($0) },
      onDisposed: onDisposed.map { MainActorClosure.anywhere($0) })
  }

  /// Subscribes closures that run on the main actor and receive an object.
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
  public func subscribe<Object: AnyObject & Sendable>(
    with object: Object, onMain onSuccess: @escaping @MainActor @Sendable (Object, Element) -> Void,
    onError: (@MainActor @Sendable (Object, any Error) -> Void)? = nil,
    onCompleted: (@MainActor @Sendable (Object) -> Void)? = nil,
    onDisposed: (@MainActor @Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onMain: weaklyOnMain(object, onSuccess),
      onError: onError.map { weaklyOnMain(object, $0) },
      onCompleted: onCompleted.map { weaklyOnMain(object, $0) },
      onDisposed: onDisposed.map { weaklyOnMain(object, $0) })
  }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
  /// Subscribes closures that run on the main actor.
  ///
  /// The end is delivered at once if it arrives on the main queue, and otherwise when the main queue runs
  /// it. After a `dispose()` on the main actor, no closure except `onDisposed` is called.
  ///
  /// - Parameters:
  ///   - onCompleted: called if the completable completes.
  ///   - onError: receives the error. Without it the error goes to `Hooks.defaultErrorHandler`.
  ///   - onDisposed: called once when the subscription ends, for any reason.
  /// - Returns: the subscription.
  public func subscribe(
    onMain onCompleted: @escaping @MainActor @Sendable () -> Void,
    onError: (@MainActor @Sendable (any Error) -> Void)? = nil,
    onDisposed: (@MainActor @Sendable () -> Void)? = nil
  ) -> any Disposable {
    primitiveSequence.observe(on: ConcurrentMainScheduler.instance).subscribe(
      onCompleted: MainActorClosure.calling(onCompleted),
      onError: onError.map { MainActorClosure.passing($0) },
      onDisposed: onDisposed.map { MainActorClosure.anywhere($0) })
  }

  /// Subscribes closures that run on the main actor and receive an object.
  ///
  /// The subscription does not retain the object. After the object is released, the closures are not called.
  ///
  /// - Parameters:
  ///   - object: passed to each closure while it is alive.
  ///   - onCompleted: called if the completable completes.
  ///   - onError: receives the error. Without it the error goes to `Hooks.defaultErrorHandler`.
  ///   - onDisposed: called once when the subscription ends.
  /// - Returns: the subscription.
  public func subscribe<Object: AnyObject & Sendable>(
    with object: Object, onMain onCompleted: @escaping @MainActor @Sendable (Object) -> Void,
    onError: (@MainActor @Sendable (Object, any Error) -> Void)? = nil,
    onDisposed: (@MainActor @Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onMain: weaklyOnMain(object, onCompleted),
      onError: onError.map { weaklyOnMain(object, $0) },
      onDisposed: onDisposed.map { weaklyOnMain(object, $0) })
  }
}
