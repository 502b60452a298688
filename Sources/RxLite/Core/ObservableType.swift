/// A sequence that observers can subscribe to.
///
/// The operators are defined on this protocol.
public protocol ObservableType<Element>: ObservableConvertibleType {
  /// Subscribes an observer.
  ///
  /// - Parameter observer: receives the events.
  /// - Returns: the subscription; disposing it stops the delivery and frees its resources.
  func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element
}

extension ObservableType {
  /// Returns the sequence as an `Observable`, which hides its own type.
  public func asObservable() -> Observable<Element> {
    Observable.creating { observer in self.subscribe(observer) }
  }
}
