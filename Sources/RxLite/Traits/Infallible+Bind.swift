extension InfallibleType {
  /// Subscribes observers, each of which receives every event.
  @inlinable public func bind<Observer: ObserverType>(
    to observers: Observer...
  ) -> any Disposable where Observer.Element == Element {
    asObservable().subscribe(
      AnyObserver(handler: { event in for observer in observers { observer.on(event) } }))
  }

  /// Subscribes observers of the optional type.
  @inlinable public func bind<Observer: ObserverType>(
    to observers: Observer...
  ) -> any Disposable where Observer.Element == Element? {
    asObservable().map(Optional.some).subscribe(
      AnyObserver(handler: { event in for observer in observers { observer.on(event) } }))
  }

  /// Passes the infallible to a function.
  ///
  /// - Parameter binder: receives the infallible.
  /// - Returns: the result of `binder`.
  @inlinable public func bind<Result>(to binder: (Self) -> Result) -> Result {
    binder(self)
  }

  /// Passes the infallible and another argument to a curried function.
  ///
  /// - Parameters:
  ///   - binder: receives both.
  ///   - curriedArgument: the second argument of `binder`.
  /// - Returns: the result of `binder`.
  @inlinable public func bind<R1, R2>(to binder: (Self) -> (R1) -> R2, curriedArgument: R1) -> R2 {
    binder(self)(curriedArgument)
  }

  /// Subscribes a closure to the elements.
  @preconcurrency @inlinable public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable
  {
    subscribe(onNext: onNext)
  }

  /// Subscribes a closure that receives an object.
  ///
  /// The subscription does not retain the object. After the object is released, the closure is not called.
  ///
  /// - Parameters:
  ///   - object: passed to the closure while it is alive.
  ///   - onNext: receives each element.
  /// - Returns: the subscription.
  @preconcurrency public func bind<Object: AnyObject & Sendable>(
    with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
  ) -> any Disposable {
    subscribe(with: object, onNext: onNext)
  }

  /// Sends each element to relays.
  public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable where Relay.Element == Element {
    subscribe(onNext: { element in for relay in relays { relay.accept(element) } })
  }

  /// Sends each element to relays of the optional type.
  public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable where Relay.Element == Element? {
    subscribe(onNext: { element in for relay in relays { relay.accept(element) } })
  }
}
