public import Dispatch

extension ObservableType {
  /// Subscribes again after errors, as often and after such waits as a policy says.
  ///
  /// ```swift
  /// let answer = question.retry(.exponentialDelayed(maxCount: 4, initial: 1, multiplier: 1)) { $0 is Overload }
  /// ```
  ///
  /// - Parameters:
  ///   - behavior: the waits, and the number of attempts.
  ///   - scheduler: where the waits run; a virtual one for tests.
  ///   - shouldRetry: whether an error may pass; all may without it. Not asked about the last attempt's error.
  /// - Returns: the sequence; it fails with the last error.
  public func retry(
    _ behavior: RepeatBehavior,
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default),
    shouldRetry: ((any Error) -> Bool)? = nil
  ) -> Observable<Element> {
    retry(scheduler: scheduler) { attempt, error in
      guard behavior.allowsAttempt(after: attempt), shouldRetry?(error) ?? true else { return .fail }
      return behavior.wait(after: attempt).map { .wait($0) } ?? .retry
    }
  }

  /// Subscribes again after errors, as a closure decides.
  ///
  /// - Parameters:
  ///   - scheduler: where the waits run.
  ///   - decide: gets the number of the attempt that has failed, 1 for the first, and its error.
  /// - Returns: the sequence; it fails with the last error.
  package func retry(
    scheduler: any SchedulerType,
    deciding decide: @escaping (_ attempt: Int, _ error: any Error) -> RetryDecision
  ) -> Observable<Element> {
    retry { (errors: Observable<any Error>) in
      errors.enumerated().flatMap { index, error -> Observable<Int> in
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
  /// Subscribes again after errors, as often and after such waits as a policy says.
  ///
  /// - Parameters:
  ///   - behavior: the waits, and the number of attempts.
  ///   - scheduler: where the waits run; a virtual one for tests.
  ///   - shouldRetry: whether an error may pass; all may without it. Not asked about the last attempt's error.
  /// - Returns: the sequence; it fails with the last error.
  public func retry(
    _ behavior: RepeatBehavior,
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default),
    shouldRetry: ((any Error) -> Bool)? = nil
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: source.retry(behavior, scheduler: scheduler, shouldRetry: shouldRetry))
  }
}

/// What to do about an error.
package enum RetryDecision {
  /// Fail with it.
  case fail
  /// Subscribe again at once.
  case retry
  /// Subscribe again after a wait.
  case wait(RxTimeInterval)
}
