#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// An interceptor written with `async` functions.
public protocol AsyncRequestInterceptor: RequestInterceptor {
  /// Gives the request to go on with; the one it got unless implemented.
  ///
  /// - Parameters:
  ///   - urlRequest: the request as the adapter before made it.
  ///   - session: what carries the request.
  /// - Returns: the request to go on with.
  /// - Throws: what the request fails with, unsent.
  func adapt(_ urlRequest: URLRequest, for session: Session) async throws -> URLRequest

  /// Decides whether a request that has failed is sent again; it is not unless implemented.
  ///
  /// - Parameters:
  ///   - request: the request and its answer.
  ///   - session: what carries the request.
  ///   - error: why the attempt failed: a `NetworkError`.
  /// - Returns: the decision.
  func retry(_ request: Request, for session: Session, dueTo error: any Error) async -> RetryResult
}

extension AsyncRequestInterceptor {
  /// The request as it is.
  public func adapt(_ urlRequest: URLRequest, for session: Session) async throws -> URLRequest { urlRequest }

  /// No retry.
  public func retry(_ request: Request, for session: Session, dueTo error: any Error) async -> RetryResult {
    .doNotRetry
  }

  /// Runs the `async` form in a task.
  public func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    _Concurrency.Task {
      do {
        completion(.success(try await adapt(urlRequest, for: session)))
      } catch {
        completion(.failure(error))
      }
    }
  }

  /// Runs the `async` form in a task.
  public func retry(
    _ request: Request, for session: Session, dueTo error: any Error,
    completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    _Concurrency.Task { completion(await retry(request, for: session, dueTo: error)) }
  }
}
