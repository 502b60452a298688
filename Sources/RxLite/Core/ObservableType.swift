/// A sequence that can be subscribed to; every operator is defined on it.
public protocol ObservableType<Element>: ObservableConvertibleType {
  /// Subscribes an observer.
  ///
  /// - Parameter observer: receives the events.
  /// - Returns: the subscription; disposing it ends the delivery and frees what it holds.
  func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element
}

extension ObservableType {
  /// The sequence as an `Observable`, behind which its own type is hidden.
  public func asObservable() -> Observable<Element> {
    Observable.create { observer in self.subscribe(observer) }
  }
}
