public import Dispatch
public import RxLite

extension PrimitiveSequence where Trait == SingleTrait {
  /// Subscribes again and again at an interval, until an element satisfies a condition.
  ///
  /// If the condition may never hold, bound the sequence with `take(_:)` or `take(for:scheduler:)`.
  ///
  /// ```swift
  /// provider.rx.value(.job(id), as: Job.self).poll(every: .seconds(2)) { $0.isDone }
  /// ```
  ///
  /// As with `repeat({ delay })` of RxJS, the interval begins when the single has ended, so a slow server never has
  /// two requests. The waiters of Smithy, which newer SDKs for AWS have, lengthen their delays instead.
  ///
  /// - Parameters:
  ///   - interval: the longest time from an element to the next subscription.
  ///   - jitter: the random share, from 0 to 1, by which each interval is shortened, so that many clients do not
  ///     ask at the same moment; none by default, because one client needs none and its tests are exact without it.
  ///   - isLast: whether an element satisfies the condition; an error that it throws ends the sequence. By
  ///     default the sequence does not end.
  ///   - scheduler: measures the interval; a virtual scheduler for tests.
  /// - Returns: the sequence of all elements, including the last; an error of the single ends it.
  @preconcurrency public func poll(
    every interval: RxTimeInterval, jitter: Double = 0,
    until isLast: @escaping @Sendable (Element) throws -> Bool = { _ in false },
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
  ) -> Observable<Element> {
    let question = asObservable()
    let share = min(1, max(0, jitter))
    let later = Observable.deferred {
      let wait = share > 0 ? .inSeconds(interval.inSeconds * (1 - share * .random(in: 0...1))) : interval
      return question.delaySubscription(wait, scheduler: scheduler)
    }
    return Observable.concat(AnySequence { sequence(first: question) { _ in later }.makeIterator() })
      .take(until: isLast, behavior: .inclusive)
  }
}
