public import Dispatch
import Foundation
public import NetworkCore
import ReactiveNetworkLock
public import RxLite

extension ObservableType {
  /// Subscribes again after transient errors, after waits that may grow.
  ///
  /// ```swift
  /// provider.rx.request(.repos("ash"))
  ///   .filterSuccessfulStatusCodes()
  ///   .retry(backoff: .exponential(), maxAttempts: 4)
  /// ```
  ///
  /// If a response has a `Retry-After` field (RFC 9110, section 10.2.3) that is longer than the wait, that
  /// time is waited instead, lengthened by a random share of up to the jitter of `backoff`.
  ///
  /// A request is sent again only if its method is one of `retryableHTTPMethods`, as with `RetryPolicy`,
  /// because a server may have processed a POST although no response arrived. Add `.post` to the methods if
  /// the server recognizes repetitions. A request that provably was not sent (`TransferError.isUnsent`) counts
  /// for no method: a POST whose connection was refused is sent again. The rule applies to all requests of `provider.rx` that the source has
  /// sent, on any thread, because a retry repeats all of them: if a GET fails after a POST, neither is sent
  /// again. A request whose body can be read only once (`BodyStream.isRepeatable`), such as an `InputStream`, is
  /// not sent again, whatever its method, unless it provably was not sent. A shared sequence (`share`, `cached`) may replay its
  /// element instead of sending its requests again. So the requests of one that does not fail do not prevent a
  /// retry; but if they include a POST, a further attempt that would have to start a shared sequence ends with the
  /// error of the previous attempt. The rule does not see the requests of subscriptions that a closure makes. If no
  /// request is known, not even by the error, the source is subscribed to again only if the caller passes
  /// `shouldRetry`, which then decides alone. The method of a request is that of its endpoint; a plugin should not change it.
  ///
  /// - Parameters:
  ///   - backoff: the waits; if it limits the attempts, the smaller limit counts.
  ///   - maxAttempts: the maximum number of subscriptions to the source, including the first.
  ///   - resetOnSuccess: whether an element ends the row of failures, so that attempts and waits count from the
  ///     beginning again; for a connection that lives long, such as a WebSocket, which may break any number of
  ///     times.
  ///   - budget: bounds the retries of several pipelines together. Each subscription deposits, and each retry
  ///     withdraws before its wait; if the budget is empty, the error ends the sequence at once.
  ///   - longestRetryAfter: the longest `Retry-After` that is waited for; a longer one ends the
  ///     sequence with the error.
  ///   - deadline: the time for all attempts and the waits between them, by the clock of the
  ///     scheduler's timers; `nil` for no limit. A wait that would end later is not begun, and the error ends the
  ///     sequence. A running attempt is not ended. With `resetOnSuccess`, it counts from the first failure after
  ///     an element.
  ///   - retryableHTTPMethods: the methods of requests that may be sent again; the idempotent methods by
  ///     default.
  ///   - shouldRetry: whether an error is transient; `nil` for `NetworkError.isTransient`.
  ///   - scheduler: measures the waits; a virtual scheduler for tests.
  /// - Returns: the sequence, which ends with the last error.
  @preconcurrency public func retry(
    backoff: Backoff, maxAttempts: Int = 3, resetOnSuccess: Bool = false, budget: RetryBudget? = nil,
    longestRetryAfter: RxTimeInterval = .seconds(60), deadline: RxTimeInterval? = nil,
    retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
    when shouldRetry: (@Sendable (any Error) -> Bool)? = nil,
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
  ) -> Observable<Element> {
    let bounds = RetryBounds(
      backoff: backoff.growth, longestRetryAfter: longestRetryAfter.inSeconds, deadline: deadline?.inSeconds,
      budget: budget)
    return retry(
      backoff, retryLimit: max(1, maxAttempts) - 1, resetOnSuccess: resetOnSuccess, within: bounds,
      of: retryableHTTPMethods,
      ifUnknown: shouldRetry != nil, when: shouldRetry ?? { ($0 as? NetworkError)?.isTransient ?? false },
      scheduler)
  }

  /// Subscribes again after errors that may pass.
  ///
  /// - Parameters:
  ///   - backoff: the waits; if it limits the attempts, the smaller limit counts.
  ///   - retryLimit: the maximum number of subscriptions to the source after the first.
  ///   - resetOnSuccess: whether an element ends the row of failures.
  ///   - bounds: the bounds of all attempts and waits.
  ///   - methods: the methods of requests that may be sent again.
  ///   - ifUnknown: whether to subscribe again if no request is known.
  ///   - mayPass: whether an error is transient.
  ///   - scheduler: measures the waits.
  /// - Returns: the sequence, which ends with the last error.
  func retry(
    _ backoff: Backoff, retryLimit: Int, resetOnSuccess: Bool, within bounds: RetryBounds,
    of methods: Set<HTTPMethod>, ifUnknown: Bool, when mayPass: @escaping @Sendable (any Error) -> Bool,
    _ scheduler: any SchedulerType
  ) -> Observable<Element> {
    let source = asObservable()
    let clock = scheduler.asDelayScheduler()
    return Observable.deferred {
      let repeated = RepeatedAttempts(of: methods)
      let attempts = source.do(onError: { _ in repeated.end() }).withContext { repeated.begin(within: $0) }
      bounds.budget?.deposit()
      let row = Lock(FailuresInARow(began: clock.uptime.inSeconds))
      let counted =
        resetOnSuccess ? attempts.do(onNext: { _ in row.withLock { $0.isOver = true } }) : attempts
      return counted.retry(scheduler: scheduler) { attempts, error in
        let now = clock.uptime.inSeconds
        let (attempt, began) = row.withLock { ($0.attempt(ofAll: attempts, at: now), $0.began) }
        guard repeated.allowsAnother(after: error, ifUnknown: ifUnknown), attempt <= retryLimit,
          backoff.allowsAttempt(after: attempt), mayPass(error)
        else { return .fail }
        let wait = bounds.wait(
          backoff.delay(after: attempt)?.inSeconds ?? 0, after: (error as? NetworkError)?.response,
          elapsed: now - began, at: clock.now)
        guard let wait else { return .fail }
        repeated.willRepeat(after: error)
        return .wait(.inSeconds(wait))
      }
    }
  }
}

/// The attempts since the last one with an element.
private struct FailuresInARow {
  /// Whether the current attempt has had an element.
  var isOver = false
  /// The reading of the clock from which the deadline counts.
  var began: TimeInterval
  /// The number of attempts before the row.
  private var before = 0

  /// Creates a row that begins with the first attempt.
  init(began: TimeInterval) { self.began = began }

  /// Returns the number of the attempt in its row.
  mutating func attempt(ofAll attempts: Int, at now: TimeInterval) -> Int {
    if isOver { (before, isOver, began) = (attempts - 1, false, now) }
    return attempts - before
  }
}

extension PrimitiveSequence where Trait == SingleTrait {
  /// Subscribes again after transient errors, after waits that may grow.
  ///
  /// It works like the operator of observables. In addition, a `Response` with a status of 400 or more counts as
  /// `NetworkError.statusCode` although no filter has refused it, as for `RetryPolicy`: a 503 is retried, and the
  /// response of the last attempt is the element of the single. So `shouldRetry` also receives every unfiltered
  /// status of 400 or more.
  ///
  /// - Parameters:
  ///   - backoff: the waits; if it limits the attempts, the smaller limit counts.
  ///   - maxAttempts: the maximum number of subscriptions to the source, including the first.
  ///   - budget: bounds the retries of several pipelines together. Each subscription deposits, and each retry
  ///     withdraws before its wait; if the budget is empty, the last error or response ends the single at once.
  ///   - longestRetryAfter: the longest `Retry-After` that is waited for; a longer one ends the
  ///     single with the last error or response.
  ///   - deadline: the time for all attempts and the waits between them, by the clock of the
  ///     scheduler's timers; `nil` for no limit.
  ///   - retryableHTTPMethods: the methods of requests that may be sent again; the idempotent methods by
  ///     default.
  ///   - shouldRetry: whether an error is transient; `nil` for `NetworkError.isTransient`.
  ///   - scheduler: measures the waits; a virtual scheduler for tests.
  /// - Returns: the single, which ends with the last error or response.
  @preconcurrency public func retry(
    backoff: Backoff, maxAttempts: Int = 3, budget: RetryBudget? = nil,
    longestRetryAfter: RxTimeInterval = .seconds(60), deadline: RxTimeInterval? = nil,
    retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
    when shouldRetry: (@Sendable (any Error) -> Bool)? = nil,
    scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default)
  ) -> Single<Element> {
    treatingFailuresAsErrors { source in
      source.asObservable()
        .retry(
          backoff: backoff, maxAttempts: maxAttempts, budget: budget, longestRetryAfter: longestRetryAfter,
          deadline: deadline, retryableHTTPMethods: retryableHTTPMethods, when: shouldRetry,
          scheduler: scheduler
        )
        .asSingle()
    }
  }
}
