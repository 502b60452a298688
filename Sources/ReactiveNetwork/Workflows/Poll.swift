public import Dispatch
public import RxLite

extension PrimitiveSequence where Trait == SingleTrait {
  /// Subscribes again and again at an interval, until an element satisfies a condition.
  ///
  /// ```swift
  /// provider.rx.value(.job(id), as: Job.self).poll(every: .seconds(2)) { $0.isDone }
  /// ```
  ///
  /// - Parameters:
  ///   - interval: the time from an element to the next subscription.
  ///   - isLast: whether an element satisfies the condition; an error that it throws ends the sequence. By
  ///     default the sequence does not end.
  ///   - scheduler: measures the interval; a virtual scheduler for tests.
  /// - Returns: the sequence of all elements, including the last; an error of the single ends it.
  @preconcurrency public func poll(
    every interval: RxTimeInterval,
    until isLast: @escaping @Sendable (Element) throws -> Bool = { _ in false },
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
  ) -> Observable<Element> {
    let question = asObservable()
    let later = question.delaySubscription(interval, scheduler: scheduler)
    return Observable.concat(AnySequence { sequence(first: question) { _ in later }.makeIterator() })
      .take(until: isLast, behavior: .inclusive)
  }
}
