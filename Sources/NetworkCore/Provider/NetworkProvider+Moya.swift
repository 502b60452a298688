public import Dispatch

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension NetworkProvider {
  /// The completions of the requests that may share a transfer, in the order of the requests; a completion is listed until it has
  /// returned.
  ///
  /// Empty without `trackInflights`. It is a snapshot: other threads may start and end requests at any time.
  public var inflightRequests: [Endpoint: [Completion]] { inflight.callers.completions }

  /// A session with the fields that Alamofire sends with each request.
  ///
  /// - Returns: a new session, with connections of its own.
  public static func defaultAlamofireSession() -> Session {
    let configuration = URLSessionConfiguration.default
    configuration.headers = .default
    return Session(configuration: configuration, startRequestsImmediately: false)
  }

  /// Starts a request, whatever a subclass has made of `request(_:callbackQueue:progress:completion:)`, which calls this.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - callbackQueue: where the callbacks run; `nil` for the provider's queue.
  ///   - progress: gets the progress, the last one with the response just before the completion.
  ///   - completion: gets the answer or the error, exactly once.
  /// - Returns: a token to cancel the request with; it may be dropped.
  @preconcurrency @discardableResult public final func requestNormal(
    _ target: Target, callbackQueue: DispatchQueue?, progress: ProgressBlock?,
    completion: @escaping Completion
  ) -> any Cancellable {
    let endpoint = endpoint(target)
    let delivery = Download(endpoint.task).map {
      FileDelivery($0, validation: ResponseValidation(target))
    }
    return start(
      target, endpoint, callbackQueue, delivery: delivery, progress: progress, completion: completion)
  }

  /// Makes a closure that answers a stubbed request, or ends it as cancelled where its token is, when it is called.
  ///
  /// It is here for subclasses written for Moya, whose `stubRequest` may choose the time.
  ///
  /// - Parameters:
  ///   - token: what the request is cancelled with.
  ///   - target: what is asked for.
  ///   - completion: the one that `stubRequest` got.
  ///   - endpoint: what the request was built from, with the sample.
  ///   - plugins: of no effect, since the provider tells its plugins itself.
  ///   - request: the request after every plugin's `prepare`.
  /// - Returns: the closure, to be called once on any thread.
  @preconcurrency public final func createStubFunction(
    _ token: CancellableToken, forTarget target: Target, withCompletion completion: @escaping Completion,
    endpoint: Endpoint, plugins: [any PluginType], request: URLRequest
  ) -> @Sendable () -> Void {
    {
      guard !token.isCancelled else { return self.cancelCompletion(completion, target: target) }
      completion(endpoint.sampleResponseClosure().result(for: request))
    }
  }

  /// Ends a stubbed request as cancelled; the provider tells its plugins.
  ///
  /// - Parameters:
  ///   - completion: the one that `stubRequest` got.
  ///   - target: what is asked for.
  @preconcurrency public final func cancelCompletion(_ completion: Completion, target: Target) {
    completion(.failure(.cancelled))
  }

  /// The request as it is: the plugins have been told before `stubRequest` is called.
  ///
  /// It is here for subclasses written for Moya, whose `stubRequest` must call it.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - target: what is asked for.
  /// - Returns: the request.
  public final func notifyPluginsOfImpendingStub(for request: URLRequest, target: Target) -> URLRequest {
    request
  }
}
