/// A `ReplaySubject` that never ends: it takes elements, and neither an error nor a completion.
public final class ReplayRelay<Element>: ObservableType, @unchecked Sendable {
  // Sendable as the subject is.
  @usableFromInline let subject: ReplaySubject<Element>

  @inlinable init(_ subject: ReplaySubject<Element>) {
    self.subject = subject
  }

  /// Makes a relay that remembers so many elements.
  ///
  /// - Parameter bufferSize: how many; 0 or more.
  /// - Returns: the relay.
  @inlinable public static func create(bufferSize: Int) -> ReplayRelay<Element> {
    ReplayRelay(.create(bufferSize: bufferSize))
  }

  /// Makes a relay that remembers all elements.
  ///
  /// - Returns: the relay.
  @inlinable public static func createUnbound() -> ReplayRelay<Element> {
    ReplayRelay(.createUnbounded())
  }

  /// Sends an element to all observers.
  @inlinable public func accept(_ event: Element) {
    subject.onNext(event)
  }

  /// Subscribes an observer to what is remembered and what follows.
  ///
  /// - Parameter observer: receives the elements.
  /// - Returns: the subscription.
  @inlinable public func subscribe<Observer: ObserverType>(
    _ observer: Observer
  ) -> any Disposable where Observer.Element == Element {
    subject.subscribe(observer)
  }

  /// The relay as a sequence.
  @inlinable public func asObservable() -> Observable<Element> {
    subject
  }
}
