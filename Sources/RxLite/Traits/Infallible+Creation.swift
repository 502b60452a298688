extension Infallible {
  /// A closure that receives the events of an infallible.
  public typealias InfallibleObserver = @Sendable (InfallibleEvent<Element>) -> Void

  /// Creates an infallible from a closure that is called for each subscription.
  ///
  /// - Parameter subscribe: starts the work and reports to the observer that it receives, from any thread.
  ///   Events are delivered one at a time, and none after the end or after disposal. The returned disposable
  ///   is disposed with the subscription.
  /// - Returns: the infallible.
  @preconcurrency @inlinable public static func create(
    subscribe: @escaping @Sendable (@escaping InfallibleObserver) -> any Disposable
  ) -> Infallible<Element> {
    Infallible(
      Observable { observer in
        let serialized = SerializedObserver(observer)
        serialized.assign(subscribe { serialized.on($0.event) })
        return serialized
      })
  }

  /// Returns an infallible of given elements.
  ///
  /// - Parameters:
  ///   - elements: the elements.
  ///   - scheduler: sends each element in a separate step.
  /// - Returns: the infallible.
  @inlinable public static func of(
    _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Infallible<Element> {
    Infallible(.from(elements, scheduler: scheduler))
  }

  /// Returns an infallible of an array's elements.
  ///
  /// - Parameters:
  ///   - array: the elements.
  ///   - scheduler: sends each element in a separate step.
  /// - Returns: the infallible.
  @inlinable public static func from(
    _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Infallible<Element> {
    Infallible(.from(array, scheduler: scheduler))
  }

  /// Returns an infallible of a sequence's elements.
  ///
  /// - Parameters:
  ///   - sequence: the elements; iterated again for each subscription.
  ///   - scheduler: sends each element in a separate step.
  /// - Returns: the infallible.
  @inlinable public static func from<Elements: Sequence>(
    _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Infallible<Element> where Elements.Element == Element {
    Infallible(.from(sequence, scheduler: scheduler))
  }
}

extension InfallibleType {
  /// Returns an infallible of one element.
  @inlinable public static func just(_ element: Element) -> Infallible<Element> {
    Infallible(.just(element))
  }

  /// Returns an infallible of one element, which is sent on a scheduler.
  public static func just(
    _ element: Element, scheduler: any ImmediateSchedulerType
  ) -> Infallible<Element> {
    Infallible(.just(element, scheduler: scheduler))
  }

  /// Returns an infallible that never sends an event.
  @inlinable public static func never() -> Infallible<Element> {
    Infallible(.never())
  }

  /// Returns an infallible that completes at once, without an element.
  @inlinable public static func empty() -> Infallible<Element> {
    Infallible(.empty())
  }

  /// Creates a new infallible for each subscription.
  ///
  /// - Parameter observableFactory: returns the infallible. It is declared `throws` to match `Observable` and
  ///   should never throw: an error ends the sequence and goes to `Hooks.defaultErrorHandler`, because
  ///   subscribers do not expect it.
  /// - Returns: the infallible.
  @preconcurrency @inlinable public static func deferred(
    _ observableFactory: @escaping @Sendable () throws -> Infallible<Element>
  ) -> Infallible<Element> {
    Infallible(.deferred { try observableFactory().source })
  }
}
