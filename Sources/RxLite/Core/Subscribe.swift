extension ObservableType {
  /// Subscribes a closure to all events.
  ///
  /// - Parameter on: receives the events, on the thread that produces them.
  /// - Returns: the subscription.
  @preconcurrency @inlinable public func subscribe(_ on: @escaping @Sendable (Event<Element>) -> Void)
    -> any Disposable
  {
    asObservable().subscribe(AnyObserver(handler: on))
  }

  /// Subscribes a closure for each kind of event.
  ///
  /// - Parameters:
  ///   - onNext: receives each element.
  ///   - onError: receives the error. Without it the error goes to `Hooks.defaultErrorHandler`.
  ///   - onCompleted: called when the sequence ends.
  ///   - onDisposed: called once when the subscription ends, for any reason.
  /// - Returns: the subscription.
  @preconcurrency @inlinable public func subscribe(
    onNext: (@Sendable (Element) -> Void)? = nil,
    onError: (@Sendable (any Error) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    let gate = SubscriptionGate(onDisposed: onDisposed)
    let callStack = onError == nil ? Hooks.captureCallStack() : []
    let observer = ClosureObserver(onNext, onError, onCompleted, callStack, gate)
    gate.open(asObservable()) { observer.on($0) }
    return gate
  }

  /// Subscribes closures that receive an object.
  ///
  /// The subscription does not retain the object. After the object is released, the closures are not called.
  ///
  /// - Parameters:
  ///   - object: passed to each closure while it is alive.
  ///   - onNext: receives each element.
  ///   - onError: receives the error. Without it the error goes to `Hooks.defaultErrorHandler`.
  ///   - onCompleted: called when the sequence ends.
  ///   - onDisposed: called once when the subscription ends.
  /// - Returns: the subscription.
  @preconcurrency public func subscribe<Object: AnyObject & Sendable>(
    with object: Object,
    onNext: (@Sendable (Object, Element) -> Void)? = nil,
    onError: (@Sendable (Object, any Error) -> Void)? = nil,
    onCompleted: (@Sendable (Object) -> Void)? = nil,
    onDisposed: (@Sendable (Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onNext: onNext.map { weakly(object, $0) },
      onError: onError.map { weakly(object, $0) },
      onCompleted: onCompleted.map { weakly(object, $0) },
      onDisposed: onDisposed.map { weakly(object, $0) })
  }
}

/// The closures of a subscription, which are called through its gate.
///
/// They are not in the gate, because the user may keep the gate, while the closures are released with
/// everything upstream. An object is cheaper than the context of a closure, which would pass all captures at
/// each event (27 of 65 instructions).
@usableFromInline final class ClosureObserver<Element> {
  @usableFromInline let onNext: (@Sendable (Element) -> Void)?
  @usableFromInline let onError: (@Sendable (any Error) -> Void)?
  @usableFromInline let onCompleted: (@Sendable () -> Void)?
  @usableFromInline let callStack: [String]
  @usableFromInline let gate: SubscriptionGate

  @inlinable init(
    _ onNext: (@Sendable (Element) -> Void)?, _ onError: (@Sendable (any Error) -> Void)?,
    _ onCompleted: (@Sendable () -> Void)?, _ callStack: [String], _ gate: SubscriptionGate
  ) {
    self.onNext = onNext
    self.onError = onError
    self.onCompleted = onCompleted
    self.callStack = callStack
    self.gate = gate
  }

  @inlinable @inline(__always) func on(_ event: Event<Element>) {
    guard case .next(let element) = event else { return stop(event) }
    if gate.isOpen { onNext?(element) }
  }

  // Out of line, to keep the path of elements short.
  @inlinable @inline(never) func stop(_ event: Event<Element>) {
    gate.close {
      switch event {
      case .next: break
      case .error(let error):
        if let onError { onError(error) } else { Hooks.defaultErrorHandler(callStack, error) }
      case .completed: onCompleted?()
      }
    }
  }
}
