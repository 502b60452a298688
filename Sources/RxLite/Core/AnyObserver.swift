/// A type-erased observer that forwards events to a closure.
public struct AnyObserver<Element>: ObserverType {
  /// Receives an event.
  public typealias EventHandler = (Event<Element>) -> Void

  @usableFromInline let handler: EventHandler

  /// Creates an observer that calls a closure.
  @inlinable public init(eventHandler: @escaping EventHandler) {
    handler = eventHandler
  }

  /// Erases the type of an observer.
  @inlinable public init<Observer: ObserverType>(_ observer: Observer) where Observer.Element == Element {
    handler = (observer as? AnyObserver<Element>)?.handler ?? observer.on
  }

  /// Forwards an event to the observer.
  @inlinable public func on(_ event: Event<Element>) {
    handler(event)
  }

  /// The observer itself.
  @inlinable public func asObserver() -> AnyObserver<Element> {
    self
  }
}

// The closure need not be Sendable: if several threads can call an observer, the sender in front of it
// (`create`, a subject or a merging operator) delivers one event at a time.
extension AnyObserver: @unchecked Sendable where Element: Sendable {}
