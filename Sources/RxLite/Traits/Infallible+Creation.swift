extension Infallible {
  /// Receives the events of an infallible.
  public typealias InfallibleObserver = @Sendable (InfallibleEvent<Element>) -> Void

  /// Makes an infallible of a closure that is called for each subscription.
  ///
  /// - Parameter subscribe: starts the work and reports to the observer it gets, from any thread: events are
  ///   delivered one after the other, and none after the end or after disposal. What the closure returns is
  ///   disposed with the subscription.
  /// - Returns: the infallible.
  @inlinable public static func create(
    subscribe: @escaping (@escaping InfallibleObserver) -> any Disposable
  ) -> Infallible<Element> {
    Infallible(
      Observable { observer in
        let entrance = Entrance(observer)
        entrance.assign(subscribe { entrance.on($0.event) })
        return entrance
      })
  }

  /// An infallible of given elements.
  ///
  /// - Parameters:
  ///   - elements: the elements.
  ///   - scheduler: sends each element in a step of its own.
  /// - Returns: the infallible.
  @inlinable public static func of(
    _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Infallible<Element> {
    Infallible(.from(elements, scheduler: scheduler))
  }

  /// An infallible of an array's elements.
  ///
  /// - Parameters:
  ///   - array: the elements.
  ///   - scheduler: sends each element in a step of its own.
  /// - Returns: the infallible.
  @inlinable public static func from(
    _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Infallible<Element> {
    Infallible(.from(array, scheduler: scheduler))
  }

  /// An infallible of a sequence's elements.
  ///
  /// - Parameters:
  ///   - sequence: the elements; iterated anew for each subscription.
  ///   - scheduler: sends each element in a step of its own.
  /// - Returns: the infallible.
  @inlinable public static func from<Elements: Sequence>(
    _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Infallible<Element> where Elements.Element == Element {
    Infallible(.from(sequence, scheduler: scheduler))
  }
}

extension InfallibleType {
  /// An infallible of one given element.
  @inlinable public static func just(_ element: Element) -> Infallible<Element> {
    Infallible(.just(element))
  }

  /// An infallible of one given element, sent on a scheduler.
  public static func just(
    _ element: Element, scheduler: any ImmediateSchedulerType
  ) -> Infallible<Element> {
    Infallible(.just(element, scheduler: scheduler))
  }

  /// An infallible that never sends anything.
  @inlinable public static func never() -> Infallible<Element> {
    Infallible(.never())
  }

  /// An infallible that ends at once, without an element.
  @inlinable public static func empty() -> Infallible<Element> {
    Infallible(.empty())
  }

  /// Makes an infallible anew for each subscription.
  ///
  /// - Parameter observableFactory: makes it. It throws in form only: what it throws ends the sequence with an error that its
  ///   subscribers do not expect and that goes to `Hooks.defaultErrorHandler`.
  /// - Returns: the infallible.
  @inlinable public static func deferred(
    _ observableFactory: @escaping () throws -> Infallible<Element>
  ) -> Infallible<Element> {
    Infallible(.deferred { try observableFactory().source })
  }
}
