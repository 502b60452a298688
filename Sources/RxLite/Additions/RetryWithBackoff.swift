public import Dispatch

extension ObservableType {
  /// Subscribes again after errors, with the delays and the number of attempts of a policy.
  ///
  /// ```swift
  /// let answer = question.retry(.exponentialDelayed(maxCount: 4, initial: 1, multiplier: 1)) { $0 is Overload }
  /// ```
  ///
  /// - Parameters:
  ///   - behavior: the delays and the number of attempts.
  ///   - scheduler: measures the delays; use a virtual one in tests.
  ///   - shouldRetry: returns `true` to retry after an error; the default retries after all errors. Not
  ///     called for the error of the last attempt.
  /// - Returns: the sequence, which fails with the last error.
  @preconcurrency public func retry(
    _ behavior: RepeatBehavior,
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default),
    shouldRetry: (@Sendable (any Error) -> Bool)? = nil
  ) -> Observable<Element> {
    retry(scheduler: scheduler) { attempt, error in
      guard behavior.allowsAttempt(after: attempt), shouldRetry?(error) ?? true else { return .fail }
      return behavior.delay(after: attempt).map { .wait($0) } ?? .retry
    }
  }

  /// Asks a closure after each error whether and when to subscribe again.
  ///
  /// - Parameters:
  ///   - scheduler: measures the delays.
  ///   - decide: receives the number of the failed attempt, 1 for the first, and its error.
  /// - Returns: the sequence, which fails with the last error.
  package func retry(
    scheduler: any SchedulerType,
    deciding decide: @escaping (_ attempt: Int, _ error: any Error) -> RetryDecision
  ) -> Observable<Element> {
    retrying(on: { $0 }) { (errors: Observable<any Error>) in
      errors.enumerated().flatMapping { index, error -> Observable<Int> in
        switch decide(index + 1, error) {
        case .fail: .error(error)
        case .retry: .just(0)
        case .wait(let interval): .timer(interval, scheduler: scheduler)
        }
      }
    }
  }
}

extension PrimitiveSequence {
  /// Subscribes again after errors, with the delays and the number of attempts of a policy.
  ///
  /// - Parameters:
  ///   - behavior: the delays and the number of attempts.
  ///   - scheduler: measures the delays; use a virtual one in tests.
  ///   - shouldRetry: returns `true` to retry after an error; the default retries after all errors. Not
  ///     called for the error of the last attempt.
  /// - Returns: the sequence, which fails with the last error.
  @preconcurrency public func retry(
    _ behavior: RepeatBehavior,
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default),
    shouldRetry: (@Sendable (any Error) -> Bool)? = nil
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.retry(behavior, scheduler: scheduler, shouldRetry: shouldRetry))
  }
}

/// The reaction to an error.
package enum RetryDecision {
  /// Fail with the error.
  case fail
  /// Subscribe again at once.
  case retry
  /// Subscribe again after a delay.
  case wait(RxTimeInterval)
}
