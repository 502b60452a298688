/// A type-erased observer that forwards events to a closure.
public struct AnyObserver<Element>: ObserverType {
  /// Receives an event.
  public typealias EventHandler = (Event<Element>) -> Void

  @usableFromInline let handler: EventHandler

  /// Creates an observer that calls a closure.
  ///
  /// - Parameter eventHandler: receives the events, on the thread that sends them.
  @preconcurrency @inlinable public init(eventHandler: @escaping @Sendable (Event<Element>) -> Void) {
    handler = eventHandler
  }

  @inlinable init(handler: @escaping EventHandler) {
    self.handler = handler
  }

  /// Returns an observer that calls a closure of the library, which may capture values that are not
  /// `Sendable`.
  @inlinable @inline(__always) package static func calling(
    _ handler: @escaping EventHandler
  ) -> AnyObserver {
    AnyObserver(handler: handler)
  }

  /// Erases the type of an observer.
  @inlinable public init<Observer: ObserverType>(_ observer: Observer) where Observer.Element == Element {
    handler = (observer as? AnyObserver<Element>)?.handler ?? observer.on
  }

  /// Forwards an event to the observer.
  @inlinable public func on(_ event: Event<Element>) {
    handler(event)
  }

  /// Returns the observer itself.
  @inlinable public func asObserver() -> AnyObserver<Element> {
    self
  }
}

// The closure need not be Sendable: if several threads can send to an observer, its sender (`create`, a
// subject or a merging operator) delivers one event at a time.
extension AnyObserver: @unchecked Sendable where Element: Sendable {}
