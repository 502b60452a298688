public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Something that changes requests before the plugins see them, at once or later.
@preconcurrency public protocol RequestAdapter: Sendable {
  /// Gives the request to go on with, for each attempt anew, from the request that the `requestClosure` made.
  ///
  /// - Parameters:
  ///   - urlRequest: the request as the adapter before made it.
  ///   - session: what carries the request.
  ///   - completion: gets the request, or what the request fails with unsent; on any thread, only the first call counts. One
  ///     that is let go of without a call fails the request.
  func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void)

  /// Gives the request to go on with, as above; this is the one that a provider calls.
  ///
  /// - Parameters:
  ///   - urlRequest: the request as the adapter before made it.
  ///   - state: which request it is, and what carries it.
  ///   - completion: gets the request, or what the request fails with unsent.
  func adapt(
    _ urlRequest: URLRequest, using state: RequestAdapterState,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void)
}

extension RequestAdapter {
  /// What `adapt(_:for:completion:)` makes of the request.
  public func adapt(
    _ urlRequest: URLRequest, using state: RequestAdapterState,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    adapt(urlRequest, for: state.session, completion: completion)
  }
}

/// Something that decides whether a request that has failed is sent again.
@preconcurrency public protocol RequestRetrier: Sendable {
  /// Decides, at once or later.
  ///
  /// It is asked about every attempt that has failed, and about every answer with a status of 400 or more, also where the
  /// target's validation lets it through: that is the answer then if nobody wants to retry. It is not asked after a cancel,
  /// about requests that were not sent, or about those whose body can be read only once. It is called where `didReceive` is.
  ///
  /// - Parameters:
  ///   - request: the request and its answer.
  ///   - session: what carries the request.
  ///   - error: why the attempt failed: a `NetworkError`.
  ///   - completion: gets the decision; on any thread, only the first call counts. One that is let go of without a call has
  ///     decided `.doNotRetry`.
  func retry(
    _ request: Request, for session: Session, dueTo error: any Error,
    completion: @escaping @Sendable (RetryResult) -> Void)
}

/// Something that changes requests and decides whether they are sent again.
///
/// The interceptors of a provider adapt in their order; of their decisions the first other than `.doNotRetry` counts. Each
/// attempt is adapted, prepared and announced by `willSend` anew, and ends with a `didReceive`; `process` and the completion
/// get the last result.
@preconcurrency public protocol RequestInterceptor: RequestAdapter, RequestRetrier {}

extension RequestInterceptor {
  /// The request as it is.
  public func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    completion(.success(urlRequest))
  }

  /// No retry.
  public func retry(
    _ request: Request, for session: Session, dueTo error: any Error,
    completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    completion(.doNotRetry)
  }
}

/// Whether a request is sent again.
public enum RetryResult: Sendable {
  /// At once.
  case retry
  /// After so many seconds.
  case retryWithDelay(TimeInterval)
  /// Not as far as this retrier is concerned; the next one is asked.
  case doNotRetry
  /// Not at all, and the request fails with this error.
  case doNotRetryWithError(any Error)
}
