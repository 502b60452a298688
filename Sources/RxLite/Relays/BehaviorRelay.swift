/// A `BehaviorSubject` that never ends: a value that can be read, set and observed.
///
/// ```swift
/// let name = BehaviorRelay(value: "Ada")
/// _ = name.subscribe(onNext: { print($0) })  // Ada, then Grace
/// name.accept("Grace")
/// ```
public final class BehaviorRelay<Element>: RelayType {
  // Sendable because the subject is.
  @usableFromInline let subject: BehaviorSubject<Element>

  /// Creates a relay.
  ///
  /// - Parameter value: the initial value.
  @inlinable public init(value: Element) {
    subject = BehaviorSubject(value: value)
  }

  /// The current value.
  public var value: Element { subject.broadcast.read().buffer.latest }

  /// Sets the value and sends it to all observers.
  @inlinable public func accept(_ event: Element) {
    subject.onNext(event)
  }

  /// The relay as a sequence.
  @inlinable public func asObservable() -> Observable<Element> {
    subject
  }
}
