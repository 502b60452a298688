/// A `PublishSubject` that never ends: it accepts elements, but neither errors nor completion.
public final class PublishRelay<Element>: RelayType {
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

  /// The relay as a sequence.
  @inlinable public func asObservable() -> Observable<Element> {
    subject
  }
}
