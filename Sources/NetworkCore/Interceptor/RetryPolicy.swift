public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Sends requests again that failed for a reason which may have passed, after longer and longer delays.
///
/// ```swift
/// let provider = NetworkProvider<GitHub>(interceptors: [RetryPolicy(retryLimit: 3)])
/// ```
///
/// Only methods are retried that may be (`retryableHTTPMethods`: the idempotent ones unless others are named). The delay
/// before retry n, counted from 0, is `exponentialBackoffBase`ⁿ × `exponentialBackoffScale` seconds less a random part,
/// `jitter` of it at most, so that many clients do not come back all at once. An answer that says `Retry-After` (RFC 9110,
/// section 10.2.3) is taken at its word; if that is more than `longestRetryAfter`, the request is not retried.
open class RetryPolicy: RequestInterceptor, @unchecked Sendable {
  // `@unchecked Sendable` because subclassing is allowed: all properties are constants of `Sendable` types.

  /// How many retries there are unless said otherwise: 2.
  public static let defaultRetryLimit: UInt = 2
  /// By how much the delay grows unless said otherwise: 2.
  public static let defaultExponentialBackoffBase: UInt = 2
  /// The delay before the first retry unless said otherwise: 0.5 s.
  public static let defaultExponentialBackoffScale: Double = 0.5
  /// The methods that are retried unless said otherwise: those that RFC 9110 calls idempotent.
  public static let defaultRetryableHTTPMethods: Set<HTTPMethod> = [
    .delete, .get, .head, .options, .put, .query, .trace,
  ]
  /// The status codes that are retried unless said otherwise: 408, 429, 500, 502, 503 and 504.
  public static let defaultRetryableHTTPStatusCodes: Set<Int> = [408, 429, 500, 502, 503, 504]
  /// The errors that are retried unless said otherwise: no connection, a lost one, no answer in time and the like.
  public static let defaultRetryableURLErrorCodes: Set<URLError.Code> = [
    .badServerResponse, .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .networkConnectionLost,
    .notConnectedToInternet, .secureConnectionFailed, .timedOut,
  ]

  /// How many times a request is sent again at most.
  public let retryLimit: UInt
  /// By how much the delay grows from one retry to the next.
  public let exponentialBackoffBase: UInt
  /// The delay before the first retry, in seconds.
  public let exponentialBackoffScale: Double
  /// The methods that are retried.
  public let retryableHTTPMethods: Set<HTTPMethod>
  /// The status codes that are retried.
  public let retryableHTTPStatusCodes: Set<Int>
  /// The errors that are retried, by the codes that Foundation has for them.
  public let retryableURLErrorCodes: Set<URLError.Code>
  /// How much of a delay is left to chance, from 0 to 1.
  public let jitter: Double
  /// The longest `Retry-After` that is waited for, in seconds.
  public let longestRetryAfter: TimeInterval
  /// What bounds the retries of all requests together; `nil` for no such bound.
  public let budget: RetryBudget?

  /// Makes a policy.
  ///
  /// - Parameters:
  ///   - retryLimit: how many times a request is sent again at most.
  ///   - exponentialBackoffBase: by how much the delay grows from one retry to the next.
  ///   - exponentialBackoffScale: the delay before the first retry, in seconds.
  ///   - retryableHTTPMethods: the methods that are retried.
  ///   - retryableHTTPStatusCodes: the status codes that are retried.
  ///   - retryableURLErrorCodes: the errors that are retried; see `TransferError.urlErrorCode`.
  ///   - jitter: how much of a delay is left to chance, from 0 to 1.
  ///   - longestRetryAfter: the longest `Retry-After` that is waited for, in seconds.
  ///   - budget: what bounds the retries of all requests together. Each request deposits when it is adapted, so a policy with a budget
  ///     belongs among the `interceptors` of an `Interceptor`, not among its `retriers`.
  public init(
    retryLimit: UInt = RetryPolicy.defaultRetryLimit,
    exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
    exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
    retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
    retryableHTTPStatusCodes: Set<Int> = RetryPolicy.defaultRetryableHTTPStatusCodes,
    retryableURLErrorCodes: Set<URLError.Code> = RetryPolicy.defaultRetryableURLErrorCodes,
    jitter: Double = 0.5, longestRetryAfter: TimeInterval = 60, budget: RetryBudget? = nil
  ) {
    self.retryLimit = retryLimit
    self.exponentialBackoffBase = exponentialBackoffBase
    self.exponentialBackoffScale = exponentialBackoffScale
    self.retryableHTTPMethods = retryableHTTPMethods
    self.retryableHTTPStatusCodes = retryableHTTPStatusCodes
    self.retryableURLErrorCodes = retryableURLErrorCodes
    self.jitter = min(1, max(0, jitter))
    self.longestRetryAfter = longestRetryAfter
    self.budget = budget
  }

  /// Leaves the request as it is; its first attempt deposits in the budget.
  open func adapt(
    _ urlRequest: URLRequest, using state: RequestAdapterState,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    if state.retryCount == 0 { budget?.deposit() }
    adapt(urlRequest, for: state.session, completion: completion)
  }

  /// Retries what `shouldRetry(request:dueTo:)` says, up to the limit and as far as the budget allows.
  open func retry(
    _ request: Request, for session: Session, dueTo error: any Error,
    completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    guard request.retryCount < retryLimit, shouldRetry(request: request, dueTo: error) else {
      return completion(.doNotRetry)
    }
    let wished = request.answer?.headers.retryAfter
    if let wished, wished > longestRetryAfter { return completion(.doNotRetry) }
    guard budget?.withdraw() ?? true else { return completion(.doNotRetry) }
    completion(
      .retryWithDelay(
        wished ?? delay(before: request.retryCount) * (1 - jitter * .random(in: 0...1))))
  }

  /// Whether a request may be sent again at all, whatever the limit.
  ///
  /// - Parameters:
  ///   - request: the request and its answer.
  ///   - error: why it failed.
  /// - Returns: whether method and status, or method and error, are among those to retry.
  open func shouldRetry(request: Request, dueTo error: any Error) -> Bool {
    guard retryableHTTPMethods.contains(HTTPMethod(rawValue: request.request?.httpMethod ?? "GET")) else {
      return false
    }
    if let code = (error as? NetworkError)?.urlErrorCode { return retryableURLErrorCodes.contains(code) }
    return request.answer.map { retryableHTTPStatusCodes.contains($0.statusCode) } ?? false
  }

  /// Seconds; powers beyond what a timer takes are cut to a day.
  private func delay(before retry: Int) -> TimeInterval {
    // No delay at all, however many retries: nothing times infinity would not be a number.
    guard exponentialBackoffScale > 0 else { return 0 }
    return min(86_400, pow(Double(exponentialBackoffBase), Double(retry)) * exponentialBackoffScale)
  }
}

/// Sends requests again whose connection was lost.
///
/// `@unchecked Sendable` because it adds nothing to a policy, and a subclass must keep what it adds safe.
open class ConnectionLostRetryPolicy: RetryPolicy, @unchecked Sendable {
  /// Makes a policy.
  ///
  /// - Parameters:
  ///   - retryLimit: how many times a request is sent again at most.
  ///   - exponentialBackoffBase: by how much the delay grows from one retry to the next.
  ///   - exponentialBackoffScale: the delay before the first retry, in seconds.
  ///   - retryableHTTPMethods: the methods that are retried.
  ///   - budget: what bounds the retries of all requests together.
  public init(
    retryLimit: UInt = RetryPolicy.defaultRetryLimit,
    exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
    exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
    retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
    budget: RetryBudget? = nil
  ) {
    super.init(
      retryLimit: retryLimit, exponentialBackoffBase: exponentialBackoffBase,
      exponentialBackoffScale: exponentialBackoffScale, retryableHTTPMethods: retryableHTTPMethods,
      retryableHTTPStatusCodes: [], retryableURLErrorCodes: [.networkConnectionLost], budget: budget)
  }
}

extension RequestInterceptor where Self == RetryPolicy {
  /// A policy with all defaults.
  public static var retryPolicy: RetryPolicy { RetryPolicy() }

  /// A policy.
  ///
  /// - Parameters:
  ///   - retryLimit: how many times a request is sent again at most.
  ///   - exponentialBackoffBase: by how much the delay grows from one retry to the next.
  ///   - exponentialBackoffScale: the delay before the first retry, in seconds.
  ///   - retryableHTTPMethods: the methods that are retried.
  ///   - retryableHTTPStatusCodes: the status codes that are retried.
  ///   - retryableURLErrorCodes: the errors that are retried; see `TransferError.urlErrorCode`.
  ///   - budget: what bounds the retries of all requests together.
  /// - Returns: the policy.
  public static func retryPolicy(
    retryLimit: UInt = RetryPolicy.defaultRetryLimit,
    exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
    exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
    retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
    retryableHTTPStatusCodes: Set<Int> = RetryPolicy.defaultRetryableHTTPStatusCodes,
    retryableURLErrorCodes: Set<URLError.Code> = RetryPolicy.defaultRetryableURLErrorCodes,
    budget: RetryBudget? = nil
  ) -> RetryPolicy {
    RetryPolicy(
      retryLimit: retryLimit, exponentialBackoffBase: exponentialBackoffBase,
      exponentialBackoffScale: exponentialBackoffScale, retryableHTTPMethods: retryableHTTPMethods,
      retryableHTTPStatusCodes: retryableHTTPStatusCodes, retryableURLErrorCodes: retryableURLErrorCodes,
      budget: budget)
  }
}

extension RequestInterceptor where Self == ConnectionLostRetryPolicy {
  /// A policy for lost connections with all defaults.
  public static var connectionLostRetryPolicy: ConnectionLostRetryPolicy { ConnectionLostRetryPolicy() }

  /// A policy for lost connections.
  ///
  /// - Parameters:
  ///   - retryLimit: how many times a request is sent again at most.
  ///   - exponentialBackoffBase: by how much the delay grows from one retry to the next.
  ///   - exponentialBackoffScale: the delay before the first retry, in seconds.
  ///   - retryableHTTPMethods: the methods that are retried.
  ///   - budget: what bounds the retries of all requests together.
  /// - Returns: the policy.
  public static func connectionLostRetryPolicy(
    retryLimit: UInt = RetryPolicy.defaultRetryLimit,
    exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
    exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
    retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
    budget: RetryBudget? = nil
  ) -> ConnectionLostRetryPolicy {
    ConnectionLostRetryPolicy(
      retryLimit: retryLimit, exponentialBackoffBase: exponentialBackoffBase,
      exponentialBackoffScale: exponentialBackoffScale, retryableHTTPMethods: retryableHTTPMethods,
      budget: budget)
  }
}
