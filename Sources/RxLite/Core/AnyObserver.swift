/// An observer made of one closure: the form in which events travel through every operator.
public struct AnyObserver<Element>: ObserverType {
  /// Receives an event.
  public typealias EventHandler = (Event<Element>) -> Void

  @usableFromInline let handler: EventHandler

  /// Makes an observer of a closure.
  @inlinable public init(eventHandler: @escaping EventHandler) {
    handler = eventHandler
  }

  /// Erases the type of an observer.
  @inlinable public init<Observer: ObserverType>(_ observer: Observer) where Observer.Element == Element {
    handler = (observer as? AnyObserver<Element>)?.handler ?? observer.on
  }

  /// Hands an event to the observer.
  @inlinable public func on(_ event: Event<Element>) {
    handler(event)
  }

  /// The observer itself.
  @inlinable public func asObserver() -> AnyObserver<Element> {
    self
  }
}

// The closure need not be Sendable: where several threads may call an observer, what stands in front of it
// (`create`, a subject, a merging operator) delivers one event after the other.
extension AnyObserver: @unchecked Sendable where Element: Sendable {}
