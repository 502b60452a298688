/// A `ReplaySubject` that never ends: it accepts elements, but neither errors nor completion.
public final class ReplayRelay<Element>: RelayType {
  // Sendable because the subject is.
  @usableFromInline let subject: ReplaySubject<Element>

  @inlinable init(_ subject: ReplaySubject<Element>) {
    self.subject = subject
  }

  /// Creates a relay that replays a limited number of elements.
  ///
  /// - Parameter bufferSize: the number of elements; 0 or more.
  /// - Returns: the relay.
  @inlinable public static func create(bufferSize: Int) -> ReplayRelay<Element> {
    ReplayRelay(.create(bufferSize: bufferSize))
  }

  /// Creates a relay that replays all elements.
  ///
  /// - Returns: the relay.
  @inlinable public static func createUnbound() -> ReplayRelay<Element> {
    ReplayRelay(.createUnbounded())
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
