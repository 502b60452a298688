public import Dispatch

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension NetworkProvider {
  /// The completions of the requests that may share a transfer, in the order of the requests.
  ///
  /// A completion is listed until it has returned.
  ///
  /// Empty without `trackInflights`. The value is a snapshot: other threads may start and end requests at any
  /// time.
  public var inflightRequests: [Endpoint: [Completion]] { inflight.callers.completions }

  /// Makes a session with the header fields that Alamofire sends with each request.
  ///
  /// - Returns: a new session, with separate connections.
  public static func defaultAlamofireSession() -> Session {
    let configuration = URLSessionConfiguration.default
    configuration.headers = .default
    return Session(configuration: configuration, startRequestsImmediately: false)
  }

  /// Starts a request, without calling a subclass's override of
  /// `request(_:callbackQueue:progress:completion:)`.
  ///
  /// The provider's own `request(_:callbackQueue:progress:completion:)` calls this method.
  ///
  /// - Parameters:
  ///   - target: the target.
  ///   - callbackQueue: the queue of the callbacks; `nil` for the provider's queue.
  ///   - progress: called with the progress; the last progress has the response and comes just before the
  ///     completion.
  ///   - completion: called with the response or the error, exactly once.
  /// - Returns: a token that cancels the request; you may drop it.
  @preconcurrency @discardableResult public final func requestNormal(
    _ target: Target, callbackQueue: DispatchQueue?, progress: ProgressBlock?,
    completion: @escaping Completion
  ) -> any Cancellable {
    start(target, callbackQueue, observer: nil, progress: progress, completion: completion)
  }

  /// Starts a request whose task says where the body of the response goes.
  func start(
    _ target: Target, _ callbackQueue: DispatchQueue?, observer: (@Sendable (RequestEvent) -> Void)?,
    progress: ProgressBlock?, completion: @escaping Completion
  ) -> RequestCall {
    let endpoint = endpoint(target)
    let delivery = Download(endpoint.task).map {
      FileDelivery($0, validation: ResponseValidation(target))
    }
    return start(
      target, endpoint, callbackQueue, delivery: delivery, observer: observer, progress: progress,
      completion: completion)
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
