#if canImport(FoundationNetworking)
  internal import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension NetworkProvider {
  /// Makes a session with the header fields that Alamofire sends with each request.
  ///
  /// - Returns: a new session, with separate connections.
  public static func defaultAlamofireSession() -> Session {
    let configuration = URLSessionConfiguration.default
    configuration.headers = .default
    return Session(configuration: configuration, startRequestsImmediately: false)
  }

  /// Makes a closure that completes a stubbed request with its sample, or with `NetworkError.cancelled` if
  /// its token was cancelled.
  ///
  /// Exists for subclasses written for Moya, whose `stubRequest` may choose when the stub responds.
  ///
  /// - Parameters:
  ///   - token: the token that cancels the request.
  ///   - target: the target.
  ///   - completion: the completion that `stubRequest` got.
  ///   - endpoint: the endpoint of the request, with the sample.
  ///   - plugins: ignored, because the provider notifies its plugins itself.
  ///   - request: the request after every plugin's `prepare`.
  /// - Returns: the closure; call it once, on any thread.
  @preconcurrency public final func createStubFunction(
    _ token: CancellableToken, forTarget target: Target, withCompletion completion: @escaping Completion,
    endpoint: Endpoint, plugins: [any PluginType], request: URLRequest
  ) -> @Sendable () -> Void {
    {
      guard !token.isCancelled else { return self.cancelCompletion(completion, target: target) }
      completion(endpoint.sampleResponseClosure().result(for: request))
    }
  }

  /// Completes a stubbed request with `NetworkError.cancelled`; the provider notifies its plugins.
  ///
  /// - Parameters:
  ///   - completion: the completion that `stubRequest` got.
  ///   - target: the target.
  @preconcurrency public final func cancelCompletion(_ completion: Completion, target: Target) {
    completion(.failure(.cancelled))
  }

  /// Returns the request unchanged, because the provider notifies the plugins before it calls `stubRequest`.
  ///
  /// Exists for subclasses written for Moya, whose `stubRequest` must call it.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - target: the target.
  /// - Returns: the request.
  public final func notifyPluginsOfImpendingStub(for request: URLRequest, target: Target) -> URLRequest {
    request
  }
}
