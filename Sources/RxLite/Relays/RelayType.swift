/// A sequence that never ends and sends the elements that it accepts.
public protocol RelayType<Element>: ObservableType, Sendable {
  /// Sends an element to all observers.
  func accept(_ event: Element)
}

extension RelayType {
  /// Subscribes an observer to the elements that the relay replays and to all later ones.
  ///
  /// - Parameter observer: receives the elements.
  /// - Returns: the subscription.
  @inlinable public func subscribe<Observer: ObserverType>(
    _ observer: Observer
  ) -> any Disposable where Observer.Element == Element {
    asObservable().subscribe(observer)
  }

  /// Returns the relay as an `Infallible`.
  @inlinable public func asInfallible() -> Infallible<Element> {
    Infallible(asObservable())
  }
}
