#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// An interceptor written with `async` functions.
public protocol AsyncRequestInterceptor: RequestInterceptor {
  /// Returns the adapted request; by default, the unchanged request.
  ///
  /// - Parameters:
  ///   - urlRequest: the request that the previous adapter returned.
  ///   - session: the session that carries the request.
  /// - Returns: the adapted request.
  /// - Throws: the error that the request fails with; the request is then not sent.
  func adapt(_ urlRequest: URLRequest, for session: Session) async throws -> URLRequest

  /// Decides whether a failed request is retried; by default, it is not.
  ///
  /// - Parameters:
  ///   - request: the request and its response.
  ///   - session: the session that carries the request.
  ///   - error: the error of the attempt: a `NetworkError`.
  /// - Returns: the decision.
  func retry(_ request: Request, for session: Session, dueTo error: any Error) async -> RetryResult
}

extension AsyncRequestInterceptor {
  /// Returns the request unchanged.
  public func adapt(_ urlRequest: URLRequest, for session: Session) async throws -> URLRequest { urlRequest }

  /// Returns `.doNotRetry`.
  public func retry(_ request: Request, for session: Session, dueTo error: any Error) async -> RetryResult {
    .doNotRetry
  }

  /// Runs the `async` function in a task, which is cancelled with the request.
  public func adapt(
    _ urlRequest: URLRequest, using state: RequestAdapterState,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    state.cancelWithRequest(TaskToken(adapting(urlRequest, for: state.session, completion)))
  }

  /// Runs the `async` function in a task, which is not cancelled.
  public func adapt(
    _ urlRequest: URLRequest, for session: Session,
    completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) {
    _ = adapting(urlRequest, for: session, completion)
  }

  private func adapting(
    _ urlRequest: URLRequest, for session: Session,
    _ completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
  ) -> _Concurrency.Task<Void, Never> {
    _Concurrency.Task {
      do {
        completion(.success(try await adapt(urlRequest, for: session)))
      } catch {
        completion(.failure(error))
      }
    }
  }

  /// Runs the `async` function in a task, which is cancelled with the request.
  public func retry(
    _ request: Request, for session: Session, dueTo error: any Error,
    completion: @escaping @Sendable (RetryResult) -> Void
  ) {
    let task = _Concurrency.Task { completion(await retry(request, for: session, dueTo: error)) }
    request.cancelWithRequest(TaskToken(task))
  }
}
