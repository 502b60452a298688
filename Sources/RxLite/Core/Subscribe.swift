extension ObservableType {
  /// Subscribes a closure to all events.
  ///
  /// - Parameter on: receives the events, on the thread that produces them.
  /// - Returns: the subscription.
  @inlinable public func subscribe(_ on: @escaping (Event<Element>) -> Void) -> any Disposable {
    asObservable().subscribe(AnyObserver(eventHandler: on))
  }

  /// Subscribes one closure for each kind of event.
  ///
  /// - Parameters:
  ///   - onNext: receives each element.
  ///   - onError: receives the error; without it the error goes to `Hooks.defaultErrorHandler`.
  ///   - onCompleted: called when the sequence ends.
  ///   - onDisposed: called once when the subscription ends, for whatever reason.
  /// - Returns: the subscription.
  @inlinable public func subscribe(
    onNext: ((Element) -> Void)? = nil,
    onError: ((any Error) -> Void)? = nil,
    onCompleted: (() -> Void)? = nil,
    onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    let gate = Gate(onDisposed: onDisposed)
    let callStack = onError == nil ? Hooks.captureCallStack() : []
    gate.open(asObservable()) { event in
      switch event {
      case .next(let element): if gate.isOpen { onNext?(element) }
      case .error(let error):
        gate.close {
          if let onError { onError(error) } else { Hooks.defaultErrorHandler(callStack, error) }
        }
      case .completed: gate.close { onCompleted?() }
      }
    }
    return gate
  }

  /// Subscribes closures that get an object, which is not kept alive and whose end silences them.
  ///
  /// - Parameters:
  ///   - object: handed to each closure while it lives.
  ///   - onNext: receives each element.
  ///   - onError: receives the error; without it the error goes to `Hooks.defaultErrorHandler`.
  ///   - onCompleted: called when the sequence ends.
  ///   - onDisposed: called once when the subscription ends.
  /// - Returns: the subscription.
  public func subscribe<Object: AnyObject>(
    with object: Object,
    onNext: ((Object, Element) -> Void)? = nil,
    onError: ((Object, any Error) -> Void)? = nil,
    onCompleted: ((Object) -> Void)? = nil,
    onDisposed: ((Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onNext: { [weak object] in if let object { onNext?(object, $0) } },
      onError: onError.map { onError in { [weak object] in if let object { onError(object, $0) } } },
      onCompleted: { [weak object] in if let object { onCompleted?(object) } },
      onDisposed: { [weak object] in if let object { onDisposed?(object) } })
  }
}
