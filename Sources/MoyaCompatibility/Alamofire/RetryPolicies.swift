public import Foundation

/// Retries requests whose connection was lost.
///
/// `@unchecked Sendable` because it adds no state to a policy; a subclass must protect the state that it
/// adds.
open class ConnectionLostRetryPolicy: RetryPolicy, @unchecked Sendable {
  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - retryLimit: the maximum number of retries of a request.
  ///   - exponentialBackoffBase: the factor by which the delay grows from one retry to the next.
  ///   - exponentialBackoffScale: the delay before the first retry, in seconds.
  ///   - retryableHTTPMethods: the methods that are retried.
  ///   - deadline: the time for all attempts and the waits between them; `nil` for no limit.
  ///   - budget: the common bound for the retries of all requests.
  public init(
    retryLimit: UInt = RetryPolicy.defaultRetryLimit,
    exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
    exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
    retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
    deadline: Duration? = nil, budget: RetryBudget? = nil
  ) {
    super.init(
      retryLimit: retryLimit, exponentialBackoffBase: exponentialBackoffBase,
      exponentialBackoffScale: exponentialBackoffScale, retryableHTTPMethods: retryableHTTPMethods,
      retryableHTTPStatusCodes: [], retryableURLErrorCodes: [.networkConnectionLost], deadline: deadline,
      budget: budget)
  }
}

extension RequestInterceptor where Self == RetryPolicy {
  /// A policy with all defaults.
  public static var retryPolicy: RetryPolicy { RetryPolicy() }

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - retryLimit: the maximum number of retries of a request.
  ///   - exponentialBackoffBase: the factor by which the delay grows from one retry to the next.
  ///   - exponentialBackoffScale: the delay before the first retry, in seconds.
  ///   - retryableHTTPMethods: the methods that are retried.
  ///   - retryableHTTPStatusCodes: the status codes that are retried.
  ///   - retryableURLErrorCodes: the errors that are retried; see `TransferError.urlErrorCode`.
  ///   - deadline: the time for all attempts and the waits between them; `nil` for no limit.
  ///   - budget: the common bound for the retries of all requests.
  /// - Returns: the policy.
  public static func retryPolicy(
    retryLimit: UInt = RetryPolicy.defaultRetryLimit,
    exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
    exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
    retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
    retryableHTTPStatusCodes: Set<Int> = RetryPolicy.defaultRetryableHTTPStatusCodes,
    retryableURLErrorCodes: Set<URLError.Code> = RetryPolicy.defaultRetryableURLErrorCodes,
    deadline: Duration? = nil, budget: RetryBudget? = nil
  ) -> RetryPolicy {
    RetryPolicy(
      retryLimit: retryLimit, exponentialBackoffBase: exponentialBackoffBase,
      exponentialBackoffScale: exponentialBackoffScale, retryableHTTPMethods: retryableHTTPMethods,
      retryableHTTPStatusCodes: retryableHTTPStatusCodes, retryableURLErrorCodes: retryableURLErrorCodes,
      deadline: deadline, budget: budget)
  }
}

extension RequestInterceptor where Self == ConnectionLostRetryPolicy {
  /// A policy for lost connections with all defaults.
  public static var connectionLostRetryPolicy: ConnectionLostRetryPolicy { ConnectionLostRetryPolicy() }

  /// Creates a policy for lost connections.
  ///
  /// - Parameters:
  ///   - retryLimit: the maximum number of retries of a request.
  ///   - exponentialBackoffBase: the factor by which the delay grows from one retry to the next.
  ///   - exponentialBackoffScale: the delay before the first retry, in seconds.
  ///   - retryableHTTPMethods: the methods that are retried.
  ///   - deadline: the time for all attempts and the waits between them; `nil` for no limit.
  ///   - budget: the common bound for the retries of all requests.
  /// - Returns: the policy.
  public static func connectionLostRetryPolicy(
    retryLimit: UInt = RetryPolicy.defaultRetryLimit,
    exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
    exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
    retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
    deadline: Duration? = nil, budget: RetryBudget? = nil
  ) -> ConnectionLostRetryPolicy {
    ConnectionLostRetryPolicy(
      retryLimit: retryLimit, exponentialBackoffBase: exponentialBackoffBase,
      exponentialBackoffScale: exponentialBackoffScale, retryableHTTPMethods: retryableHTTPMethods,
      deadline: deadline, budget: budget)
  }
}
