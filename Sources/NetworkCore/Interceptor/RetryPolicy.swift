public import Foundation
package import ReactiveNetworkLock

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Retries requests that failed for a possibly temporary reason, after growing delays.
///
/// ```swift
/// let provider = NetworkProvider<GitHub>(interceptors: [RetryPolicy(retryLimit: 3)])
/// ```
///
/// `retry(_:)` of ReactiveNetwork applies the same policy to one pipeline.
///
/// Only the methods in `retryableHTTPMethods` are retried; by default, the idempotent ones. Others are retried
/// only if the error proves that no attempt has been sent (`TransferError.isUnsent`), such as a POST whose
/// connection was refused or did not open in time. The delay before
/// retry n, counted from 0, is `exponentialBackoffBase`ⁿ × `exponentialBackoffScale` seconds, at most a day, reduced
/// by a random share of up to `jitter`, so that many clients do not retry at the same moment. A longer `Retry-After`
/// of the response (RFC 9110, section 10.2.3) replaces the delay, and is lengthened by a random share of up to
/// `jitter`: the wait is never shorter than the server asks, and a small value such as 0 does not undercut the
/// back-off. A `Retry-After` above `longestRetryAfter` ends the retries.
///
/// Envoy likewise adds up to half of the time that a rate-limited server names. Its route time-out, and a Polly
/// time-out around the retries, end the running attempt; `deadline` only starts no further one, like
/// `maxDuration` of Failsafe.
open class RetryPolicy: RequestInterceptor, @unchecked Sendable {
  // `@unchecked Sendable` because subclassing is allowed: all properties are constants of `Sendable` types.

  /// The default maximum number of retries: 2.
  public static let defaultRetryLimit: UInt = 2
  /// The default factor by which the delay grows: 2.
  public static let defaultExponentialBackoffBase: UInt = 2
  /// The default delay before the first retry: 0.5 s.
  public static let defaultExponentialBackoffScale: Double = 0.5
  /// The methods that are retried by default: those that RFC 9110 calls idempotent.
  public static let defaultRetryableHTTPMethods: Set<HTTPMethod> = [
    .delete, .get, .head, .options, .put, .query, .trace,
  ]
  /// The status codes that are retried by default: 408, 429, 500, 502, 503 and 504.
  public static let defaultRetryableHTTPStatusCodes: Set<Int> = [408, 429, 500, 502, 503, 504]
  /// The errors that are retried by default: no connection, a lost connection, a time-out and similar errors.
  public static let defaultRetryableURLErrorCodes: Set<URLError.Code> = [
    .badServerResponse, .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .networkConnectionLost,
    .notConnectedToInternet, .secureConnectionFailed, .timedOut,
  ]

  /// The maximum number of retries of a request.
  public let retryLimit: UInt
  /// The factor by which the delay grows from one retry to the next.
  public let exponentialBackoffBase: UInt
  /// The delay before the first retry, in seconds.
  public let exponentialBackoffScale: Double
  /// The methods that are retried.
  public let retryableHTTPMethods: Set<HTTPMethod>
  /// The status codes that are retried.
  public let retryableHTTPStatusCodes: Set<Int>
  /// The errors that are retried, by Foundation's codes.
  public let retryableURLErrorCodes: Set<URLError.Code>
  /// The random share of a delay, from 0 to 1.
  public let jitter: Double
  /// The longest `Retry-After` that the policy follows.
  public let longestRetryAfter: Duration
  /// The time for all attempts and the waits between them; `nil` for no limit.
  public let deadline: Duration?
  /// The common bound for the retries of all requests; `nil` for no such bound.
  public let budget: RetryBudget?
  package let backoff: GrowingDelay
  package let bounds: RetryBounds

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - retryLimit: the maximum number of retries of a request.
  ///   - exponentialBackoffBase: the factor by which the delay grows from one retry to the next.
  ///   - exponentialBackoffScale: the delay before the first retry, in seconds; a negative one and NaN count as 0.
  ///   - retryableHTTPMethods: the methods that are retried.
  ///   - retryableHTTPStatusCodes: the status codes that are retried.
  ///   - retryableURLErrorCodes: the errors that are retried; see `TransferError.urlErrorCode`.
  ///   - jitter: the random share of a delay, from 0 to 1.
  ///   - longestRetryAfter: the longest `Retry-After` that the policy follows; a negative one counts as 0.
  ///   - deadline: the time for all attempts and the waits between them, counted from the start of the request;
  ///     `nil` for no limit. A wait that would end later is not begun, and the request ends with its last error.
  ///     A running attempt is not ended; see the time-outs of `CurlConfiguration` for that.
  ///   - budget: the common bound for the retries of all requests. Among a provider's `interceptors`, each request
  ///     deposits when it is adapted; with `retry(_:)`, each subscription deposits.
  public init(
    retryLimit: UInt = RetryPolicy.defaultRetryLimit,
    exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
    exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
    retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
    retryableHTTPStatusCodes: Set<Int> = RetryPolicy.defaultRetryableHTTPStatusCodes,
    retryableURLErrorCodes: Set<URLError.Code> = RetryPolicy.defaultRetryableURLErrorCodes,
    jitter: Double = 0.5, longestRetryAfter: Duration = .seconds(60), deadline: Duration? = nil,
    budget: RetryBudget? = nil
  ) {
    self.retryLimit = retryLimit
    self.exponentialBackoffBase = exponentialBackoffBase
    self.exponentialBackoffScale = exponentialBackoffScale
    self.retryableHTTPMethods = retryableHTTPMethods
    self.retryableHTTPStatusCodes = retryableHTTPStatusCodes
    self.retryableURLErrorCodes = retryableURLErrorCodes
    self.jitter = min(1, max(0, jitter))
    self.longestRetryAfter = longestRetryAfter
    self.deadline = deadline
    self.budget = budget
    // At most a day, because large powers exceed the range of a timer.
    backoff = GrowingDelay(
      first: exponentialBackoffScale, factor: Double(exponentialBackoffBase), longest: 86_400, jitter: jitter)
    bounds = RetryBounds(
      backoff: backoff, longestRetryAfter: longestRetryAfter.inSeconds, deadline: deadline?.inSeconds,
      budget: budget)
  }

  /// Completes with the unchanged request; its first attempt deposits in the budget.
  open func adapt(
    _ urlRequest: URLRequest, using state: RequestAdapterState,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    if state.retryCount == 0 { budget?.deposit() }
    adapt(urlRequest, for: state.session, completion: completion)
  }

  /// Retries if `shouldRetry(request:dueTo:)` returns `true`, within the limit and the budget.
  open func retry(
    _ request: Request, for session: Session, dueTo error: any Error,
    completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    guard request.retryCount < retryLimit, shouldRetry(request: request, dueTo: error) else {
      return completion(.doNotRetry)
    }
    let wait = bounds.wait(
      backoff.delay(after: request.retryCount), after: request.receivedResponse, elapsed: request.elapsed,
      at: request.failureTime)
    completion(wait.map { .retryWithDelay($0) } ?? .doNotRetry)
  }

  /// Returns whether a request may be retried at all, regardless of the limit.
  ///
  /// - Parameters:
  ///   - request: the request and its response.
  ///   - error: the error of the attempt.
  /// - Returns: `true` if the request was not sent or its method is one of those to retry, and if the code of the
  ///   failed transfer, or else the status, is one of those to retry, or a WebSocket has closed for a reason that
  ///   can pass.
  open func shouldRetry(request: Request, dueTo error: any Error) -> Bool {
    let method = HTTPMethod(rawValue: request.request?.httpMethod ?? "GET")
    let isUnsent = (error as? NetworkError)?.transferError?.isUnsent == true
    guard isUnsent || retryableHTTPMethods.contains(method) else { return false }
    return mayPass(error, statusCode: request.receivedResponse?.statusCode)
  }

  /// Returns whether the reason of an error is one of those to retry.
  ///
  /// - Parameters:
  ///   - error: the error.
  ///   - statusCode: the status of the response; `nil` if there is none.
  /// - Returns: `true` if the code of the failed transfer, or else the status, is one of those to retry, or if a
  ///   WebSocket has closed for a reason that can pass.
  package func mayPass(_ error: any Error, statusCode: Int?) -> Bool {
    guard let error = error as? NetworkError else {
      return statusCode.map(retryableHTTPStatusCodes.contains) ?? false
    }
    return error.mayPass(
      codes: retryableURLErrorCodes, statuses: retryableHTTPStatusCodes, statusCode: statusCode)
  }
}
