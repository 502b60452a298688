extension InfallibleType {
  /// Subscribes observers, each of which gets every event.
  @inlinable public func bind<Observer: ObserverType>(
    to observers: Observer...
  ) -> any Disposable where Observer.Element == Element {
    asObservable().subscribe { event in for observer in observers { observer.on(event) } }
  }

  /// Subscribes observers of the optional type.
  @inlinable public func bind<Observer: ObserverType>(
    to observers: Observer...
  ) -> any Disposable where Observer.Element == Element? {
    asObservable().map(Optional.some).subscribe { event in for observer in observers { observer.on(event) } }
  }

  /// Hands the infallible to a function.
  ///
  /// - Parameter binder: does with it what it likes.
  /// - Returns: what `binder` returns.
  @inlinable public func bind<Result>(to binder: (Self) -> Result) -> Result {
    binder(self)
  }

  /// Hands the infallible and one more argument to a curried function.
  ///
  /// - Parameters:
  ///   - binder: does with them what it likes.
  ///   - curriedArgument: its second argument.
  /// - Returns: what `binder` returns.
  @inlinable public func bind<R1, R2>(to binder: (Self) -> (R1) -> R2, curriedArgument: R1) -> R2 {
    binder(self)(curriedArgument)
  }

  /// Subscribes a closure to the elements.
  @inlinable public func bind(onNext: @escaping (Element) -> Void) -> any Disposable {
    subscribe(onNext: onNext)
  }

  /// Subscribes a closure that gets an object, which is not kept alive and whose end silences it.
  ///
  /// - Parameters:
  ///   - object: handed to the closure while it lives.
  ///   - onNext: receives each element.
  /// - Returns: the subscription.
  public func bind<Object: AnyObject>(
    with object: Object, onNext: @escaping (Object, Element) -> Void
  ) -> any Disposable {
    subscribe(with: object, onNext: onNext)
  }

  /// Lets relays accept each element.
  public func bind(to relays: PublishRelay<Element>...) -> any Disposable {
    subscribe(onNext: { element in for relay in relays { relay.accept(element) } })
  }

  /// Lets relays of the optional type accept each element.
  public func bind(to relays: PublishRelay<Element?>...) -> any Disposable {
    subscribe(onNext: { element in for relay in relays { relay.accept(element) } })
  }

  /// Lets relays accept each element.
  public func bind(to relays: BehaviorRelay<Element>...) -> any Disposable {
    subscribe(onNext: { element in for relay in relays { relay.accept(element) } })
  }

  /// Lets relays of the optional type accept each element.
  public func bind(to relays: BehaviorRelay<Element?>...) -> any Disposable {
    subscribe(onNext: { element in for relay in relays { relay.accept(element) } })
  }

  /// Lets relays accept each element.
  public func bind(to relays: ReplayRelay<Element>...) -> any Disposable {
    subscribe(onNext: { element in for relay in relays { relay.accept(element) } })
  }

  /// Lets relays of the optional type accept each element.
  public func bind(to relays: ReplayRelay<Element?>...) -> any Disposable {
    subscribe(onNext: { element in for relay in relays { relay.accept(element) } })
  }
}
