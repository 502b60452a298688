public import Dispatch
public import RxLite

extension PrimitiveSequence where Trait == SingleTrait {
  /// Asks again and again, until an answer is the one waited for.
  ///
  /// ```swift
  /// provider.rx.value(.job(id), as: Job.self).poll(every: .seconds(2)) { $0.isDone }
  /// ```
  ///
  /// - Parameters:
  ///   - interval: the time from an answer to the next question.
  ///   - isLast: whether an element is the one waited for; what it throws ends the sequence. Without it there is no end.
  ///   - scheduler: where the time passes; a virtual one for tests.
  /// - Returns: the sequence of all elements, the last included; an error of the single ends it.
  public func poll(
    every interval: RxTimeInterval, until isLast: @escaping (Element) throws -> Bool = { _ in false },
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
  ) -> Observable<Element> {
    let question = asObservable()
    let later = question.delaySubscription(interval, scheduler: scheduler)
    return Observable.concat(AnySequence { sequence(first: question) { _ in later }.makeIterator() })
      .take(until: isLast, behavior: .inclusive)
  }
}
