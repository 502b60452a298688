extension ObservableType {
  /// Subscribes observers, each of which gets every event.
  @inlinable public func bind<Observer: ObserverType>(
    to observers: Observer...
  ) -> any Disposable where Observer.Element == Element {
    subscribe { event in for observer in observers { observer.on(event) } }
  }

  /// Subscribes observers of the optional type.
  @inlinable public func bind<Observer: ObserverType>(
    to observers: Observer...
  ) -> any Disposable where Observer.Element == Element? {
    map(Optional.some).subscribe { event in for observer in observers { observer.on(event) } }
  }

  /// Hands the sequence to a function.
  ///
  /// - Parameter binder: does with the sequence what it likes.
  /// - Returns: what `binder` returns.
  @inlinable public func bind<Result>(to binder: (Self) -> Result) -> Result {
    binder(self)
  }

  /// Hands the sequence and one more argument to a curried function.
  ///
  /// - Parameters:
  ///   - binder: does with the sequence what it likes.
  ///   - curriedArgument: its second argument.
  /// - Returns: what `binder` returns.
  @inlinable public func bind<R1, R2>(to binder: (Self) -> (R1) -> R2, curriedArgument: R1) -> R2 {
    binder(self)(curriedArgument)
  }

  /// Subscribes a closure to the elements; an error goes to `Hooks.defaultErrorHandler`.
  ///
  /// - Parameter onNext: receives each element.
  /// - Returns: the subscription.
  @inlinable public func bind(onNext: @escaping (Element) -> Void) -> any Disposable {
    subscribe(onNext: onNext)
  }

  /// Subscribes a closure that gets an object, which is not kept alive and whose end silences it.
  ///
  /// - Parameters:
  ///   - object: handed to the closure while it lives.
  ///   - onNext: receives each element; an error goes to `Hooks.defaultErrorHandler`.
  /// - Returns: the subscription.
  public func bind<Object: AnyObject>(
    with object: Object, onNext: @escaping (Object, Element) -> Void
  ) -> any Disposable {
    subscribe(with: object, onNext: onNext)
  }
}
