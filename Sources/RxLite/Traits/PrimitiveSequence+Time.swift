public import Dispatch

extension PrimitiveSequence {
  /// Delivers events on a scheduler.
  ///
  /// - Parameter scheduler: calls the observer. Disposal drops the events that are pending there.
  /// - Returns: the same sequence.
  public func observe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.observe(on: scheduler))
  }

  /// Subscribes and disposes on a scheduler.
  ///
  /// - Parameter scheduler: runs the subscription and the disposal. It does not choose the thread of the
  ///   events.
  /// - Returns: the same sequence.
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.subscribe(on: scheduler))
  }

  /// Delays the element and the completion by a fixed time, but not an error.
  ///
  /// - Parameters:
  ///   - dueTime: the delay.
  ///   - scheduler: measures the time. Delayed events are held until then and arrive on its thread.
  /// - Returns: the delayed sequence.
  public func delay(
    _ dueTime: RxTimeInterval, scheduler: any SchedulerType
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.delay(dueTime, scheduler: scheduler))
  }

  /// Subscribes after a delay.
  ///
  /// - Parameters:
  ///   - dueTime: the delay. If the subscription is disposed before, the source is not subscribed to.
  ///   - scheduler: measures the time and runs the subscription.
  /// - Returns: the delayed sequence.
  public func delaySubscription(
    _ dueTime: RxTimeInterval, scheduler: any SchedulerType
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.delaySubscription(dueTime, scheduler: scheduler))
  }

  /// Fails with `RxError.timeout` if no event arrives in time.
  ///
  /// - Parameters:
  ///   - dueTime: the longest time from the subscription to the element, and from there to the end.
  ///   - scheduler: measures the time; the error arrives on its thread.
  /// - Returns: the sequence with the time limit.
  public func timeout(
    _ dueTime: RxTimeInterval, scheduler: any SchedulerType
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.timeout(dueTime, scheduler: scheduler))
  }

  /// Continues with another sequence if no event arrives in time.
  ///
  /// - Parameters:
  ///   - dueTime: the longest time from the subscription to the element, and from there to the end.
  ///   - other: subscribed to when the time is up, on the scheduler's thread. The limit does not apply to it.
  ///   - scheduler: measures the time.
  /// - Returns: the sequence with the time limit.
  public func timeout(
    _ dueTime: RxTimeInterval, other: PrimitiveSequence<Trait, Element>, scheduler: any SchedulerType
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.timeout(dueTime, other: other.source, scheduler: scheduler))
  }
}

extension PrimitiveSequenceType where Element: RxAbstractInteger {
  /// Sends zero after a delay.
  ///
  /// - Parameters:
  ///   - dueTime: the delay.
  ///   - scheduler: measures the time; the element arrives on its thread.
  /// - Returns: the sequence.
  public static func timer(
    _ dueTime: RxTimeInterval, scheduler: any SchedulerType
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: .timer(dueTime, scheduler: scheduler))
  }
}
