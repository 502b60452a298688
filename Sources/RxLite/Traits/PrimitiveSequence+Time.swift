public import Dispatch

extension PrimitiveSequence {
  /// Delivers on a scheduler.
  ///
  /// - Parameter scheduler: where the observer is called; what is on its way there at disposal is dropped.
  /// - Returns: the same sequence.
  public func observe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.observe(on: scheduler))
  }

  /// Subscribes and unsubscribes on a scheduler.
  ///
  /// - Parameter scheduler: where the sequence is subscribed and disposed; it delivers wherever it likes.
  /// - Returns: the same sequence.
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.subscribe(on: scheduler))
  }

  /// Lets the element and the end arrive later by a fixed time, and an error at once.
  ///
  /// - Parameters:
  ///   - dueTime: by how much later.
  ///   - scheduler: measures the time; what is late arrives on its thread, and is held until then.
  /// - Returns: the shifted sequence.
  public func delay(
    _ dueTime: RxTimeInterval, scheduler: any SchedulerType
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.delay(dueTime, scheduler: scheduler))
  }

  /// Subscribes after a while.
  ///
  /// - Parameters:
  ///   - dueTime: the time to the subscription; nothing is subscribed where disposal comes before.
  ///   - scheduler: measures the time; the sequence is subscribed on its thread.
  /// - Returns: the same sequence, later.
  public func delaySubscription(
    _ dueTime: RxTimeInterval, scheduler: any SchedulerType
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.delaySubscription(dueTime, scheduler: scheduler))
  }

  /// Fails with `RxError.timeout` where nothing comes in time.
  ///
  /// - Parameters:
  ///   - dueTime: the longest time from the subscription to the element, and from there to the end.
  ///   - scheduler: measures the time; the error arrives on its thread.
  /// - Returns: the guarded sequence.
  public func timeout(
    _ dueTime: RxTimeInterval, scheduler: any SchedulerType
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.timeout(dueTime, scheduler: scheduler))
  }

  /// Continues with another sequence where nothing comes in time.
  ///
  /// - Parameters:
  ///   - dueTime: the longest time from the subscription to the element, and from there to the end.
  ///   - other: subscribed when the time is up, on the scheduler's thread; there is no limit on its own time.
  ///   - scheduler: measures the time.
  /// - Returns: the guarded sequence.
  public func timeout(
    _ dueTime: RxTimeInterval, other: PrimitiveSequence<Trait, Element>, scheduler: any SchedulerType
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.timeout(dueTime, other: other.source, scheduler: scheduler))
  }
}

extension PrimitiveSequenceType where Element: RxAbstractInteger {
  /// Sends zero after a while.
  ///
  /// - Parameters:
  ///   - dueTime: the time to the element.
  ///   - scheduler: measures the time; the element arrives on its thread.
  /// - Returns: the sequence.
  public static func timer(
    _ dueTime: RxTimeInterval, scheduler: any SchedulerType
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: .timer(dueTime, scheduler: scheduler))
  }
}
