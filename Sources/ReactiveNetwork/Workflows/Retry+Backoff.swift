public import Dispatch
public import Foundation
public import NetworkCore
public import RxLite

extension ObservableType {
  /// Subscribes again after errors that may pass, after waits that may grow.
  ///
  /// ```swift
  /// provider.rx.request(.repos("ash"))
  ///   .filterSuccessfulStatusCodes()
  ///   .retry(backoff: .exponential(), maxAttempts: 4)
  /// ```
  ///
  /// An answer that says `Retry-After` (RFC 9110, section 10.2.3) is taken at its word where that is longer than the wait would
  /// be.
  ///
  /// A request is sent again only if its method is one of `retryableHTTPMethods`, as with `RetryPolicy`: a POST may have been acted upon
  /// although no answer came. Name `.post` there if the server recognizes a repetition. The rule holds for all requests that the source
  /// has sent, since all are repeated: after a POST, a GET that fails repeats neither. Requests that are sent behind a change of
  /// threads (`observe(on:)`, `delay`) are known only by their own errors; an error without a known request is up to `shouldRetry`.
  ///
  /// - Parameters:
  ///   - backoff: the waits; if it limits the attempts, the smaller limit counts.
  ///   - maxAttempts: how many times the source is subscribed at most, the first time included.
  ///   - budget: what bounds the retries of several pipelines together. Each subscription deposits, each retry withdraws before its wait;
  ///     if the budget is empty, the error ends the sequence at once.
  ///   - longestRetryAfter: the longest `Retry-After` that is waited for, in seconds; a longer one ends the sequence with the error.
  ///   - retryableHTTPMethods: the methods of the requests that are sent again; the idempotent ones unless said otherwise.
  ///   - shouldRetry: whether an error may pass; `NetworkError.isTransient` unless said otherwise.
  ///   - scheduler: where the waits run; a virtual one for tests.
  /// - Returns: the sequence; it ends with the last error.
  public func retry(
    backoff: Backoff, maxAttempts: Int = 3, budget: RetryBudget? = nil,
    longestRetryAfter: TimeInterval = 60,
    retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
    when shouldRetry: @escaping (any Error) -> Bool = { ($0 as? NetworkError)?.isTransient ?? false },
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
  ) -> Observable<Element> {
    Observable.deferred {
      let sent = SentMethods()
      budget?.deposit()
      return sent.noting(self.asObservable()).retry(scheduler: scheduler) { attempt, error in
        guard attempt < maxAttempts, backoff.allowsAttempt(after: attempt),
          sent.allowRepeating(after: error, retryableHTTPMethods), shouldRetry(error)
        else { return .fail }
        let wished = (error as? NetworkError)?.response?.headers.retryAfter ?? 0
        guard wished <= longestRetryAfter, budget?.withdraw() ?? true else { return .fail }
        return .wait(.inSeconds(max(wished, backoff.wait(after: attempt)?.inSeconds ?? 0)))
      }
    }
  }
}

extension PrimitiveSequence where Trait == SingleTrait {
  /// Subscribes again after errors that may pass, after waits that may grow.
  ///
  /// It does what it does on observables.
  ///
  /// - Parameters:
  ///   - backoff: the waits; if it limits the attempts, the smaller limit counts.
  ///   - maxAttempts: how many times the source is subscribed at most, the first time included.
  ///   - budget: what bounds the retries of several pipelines together. Each subscription deposits, each retry withdraws before its wait;
  ///     if the budget is empty, the error ends the single at once.
  ///   - longestRetryAfter: the longest `Retry-After` that is waited for, in seconds; a longer one ends the single with the error.
  ///   - retryableHTTPMethods: the methods of the requests that are sent again; the idempotent ones unless said otherwise.
  ///   - shouldRetry: whether an error may pass; `NetworkError.isTransient` unless said otherwise.
  ///   - scheduler: where the waits run; a virtual one for tests.
  /// - Returns: the single; it fails with the last error.
  public func retry(
    backoff: Backoff, maxAttempts: Int = 3, budget: RetryBudget? = nil,
    longestRetryAfter: TimeInterval = 60,
    retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
    when shouldRetry: @escaping (any Error) -> Bool = { ($0 as? NetworkError)?.isTransient ?? false },
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
  ) -> Single<Element> {
    asObservable()
      .retry(
        backoff: backoff, maxAttempts: maxAttempts, budget: budget, longestRetryAfter: longestRetryAfter,
        retryableHTTPMethods: retryableHTTPMethods, when: shouldRetry, scheduler: scheduler
      )
      .asSingle()
  }
}
