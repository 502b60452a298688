/// A type-erased observer that forwards events to a closure.
public struct AnyObserver<Element>: ObserverType {
  /// Receives an event.
  public typealias EventHandler = (Event<Element>) -> Void

  @usableFromInline let handler: EventHandler
  /// The values that operators downstream have added to the subscription; `nil` if there are none.
  @usableFromInline package let context: SubscriptionContext?

  /// Creates an observer that calls a closure.
  ///
  /// - Parameter eventHandler: receives the events, on the thread that sends them.
  @preconcurrency @inlinable public init(eventHandler: @escaping @Sendable (Event<Element>) -> Void) {
    handler = eventHandler
    context = nil
  }

  @inlinable init(handler: @escaping EventHandler, context: SubscriptionContext? = nil) {
    self.handler = handler
    self.context = context
  }

  /// Creates the observer of a source upstream of this observer, with the same context.
  ///
  /// - Parameter handler: receives the events; may capture values that are not `Sendable`.
  /// - Returns: the observer.
  @inlinable @inline(__always) package func calling<Upstream>(
    _ handler: @escaping (Event<Upstream>) -> Void
  ) -> AnyObserver<Upstream> {
    AnyObserver<Upstream>(handler: handler, context: context)
  }

  /// Erases the type of an observer.
  ///
  /// - Parameter observer: receives the events. It must be `Sendable`, because several threads may use the
  ///   result.
  @preconcurrency @inlinable public init<Observer: ObserverType & Sendable>(_ observer: Observer)
  where Observer.Element == Element {
    self.init(erasing: observer)
  }

  /// `init(_:)` for one subscription, whose events arrive one at a time; the observer need not be `Sendable`.
  @inlinable package init<Observer: ObserverType>(erasing observer: Observer)
  where Observer.Element == Element {
    let erased = observer as? AnyObserver<Element>
    handler = erased?.handler ?? observer.on
    context = erased?.context
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
