/// A `PublishSubject` that never ends: it accepts elements, but neither errors nor completion.
public final class PublishRelay<Element>: ObservableType, Sendable {
  // Sendable because the subject is.
  @usableFromInline let subject: PublishSubject<Element>

  /// Creates a relay.
  @inlinable public init() {
    subject = PublishSubject()
  }

  /// Sends an element to all observers.
  @inlinable public func accept(_ event: Element) {
    subject.onNext(event)
  }

  /// Subscribes an observer to all later elements.
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
