public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Changes requests before the plugins see them, synchronously or asynchronously.
@preconcurrency public protocol RequestAdapter: Sendable {
  /// Passes the adapted request to a completion.
  ///
  /// It is called for each attempt, and the first adapter receives the request that the `requestClosure`
  /// made.
  ///
  /// - Parameters:
  ///   - urlRequest: the request that the previous adapter returned.
  ///   - session: the session that carries the request.
  ///   - completion: receives the request, or the error with which the request fails without being sent. It
  ///     may be called on any thread; only the first call counts. Dropping it without calling it fails the
  ///     request.
  func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void)

  /// Passes the adapted request to a completion; this is the function that a provider calls.
  ///
  /// - Parameters:
  ///   - urlRequest: the request that the previous adapter returned.
  ///   - state: identifies the request, and contains its session.
  ///   - completion: receives the request, or the error with which the request fails without being sent.
  func adapt(
    _ urlRequest: URLRequest, using state: RequestAdapterState,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void)
}

extension RequestAdapter {
  /// Calls `adapt(_:for:completion:)`.
  public func adapt(
    _ urlRequest: URLRequest, using state: RequestAdapterState,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    adapt(urlRequest, for: state.session, completion: completion)
  }
}

/// Decides whether a failed request is retried.
@preconcurrency public protocol RequestRetrier: Sendable {
  /// Decides whether to retry, synchronously or asynchronously.
  ///
  /// It is called for every failed attempt, and for every response with a status of 400 or more, even if the
  /// target's validation accepts it; if no retrier retries such a response, the request completes with it. It
  /// is not called after a cancel, for requests that were not sent, or for requests whose body can be read
  /// only once. It runs on the same thread or queue as `didReceive`.
  ///
  /// - Parameters:
  ///   - request: the request and its response.
  ///   - session: the session that carries the request.
  ///   - error: the error of the attempt: a `NetworkError`.
  ///   - completion: receives the decision. It may be called on any thread; only the first call counts.
  ///     Dropping it without calling it counts as `.doNotRetry`.
  func retry(
    _ request: Request, for session: Session, dueTo error: any Error,
    completion: @escaping @Sendable (RetryResult) -> Void)
}

/// Changes requests and decides whether they are retried.
///
/// The interceptors of a provider adapt in their order, and the first decision other than `.doNotRetry`
/// counts. Each attempt is adapted and prepared again, begins with `willSend`, and ends with `didReceive`.
/// `process` and the completion receive the last result.
@preconcurrency public protocol RequestInterceptor: RequestAdapter, RequestRetrier {}

extension RequestInterceptor {
  /// Returns the request unchanged.
  public func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    completion(.success(urlRequest))
  }

  /// Decides `.doNotRetry`.
  public func retry(
    _ request: Request, for session: Session, dueTo error: any Error,
    completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    completion(.doNotRetry)
  }
}

/// The decision of a retrier about a failed request.
public enum RetryResult: Sendable {
  /// Retries at once.
  case retry
  /// Retries after this number of seconds.
  case retryWithDelay(TimeInterval)
  /// Does not retry, and leaves the decision to the next retrier.
  case doNotRetry
  /// Does not retry, and fails the request with this error.
  ///
  /// A response that the target's validation accepts remains the result if this is the error that the retrier was
  /// given for it.
  case doNotRetryWithError(any Error)
}
