public import Dispatch

extension NetworkProvider {
  /// The completions of the requests that may share a transfer, in the order of the requests.
  ///
  /// A completion is listed until it has returned.
  ///
  /// Empty without `trackInflights`. The value is a snapshot: other threads may start and end requests at any
  /// time.
  public var inflightRequests: [Endpoint: [Completion]] { inflight.callers.completions }

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
    let delivery = DownloadMode(endpoint.task).map {
      FileBodyDelivery($0, validation: ResponseValidation(target))
    }
    return start(
      target, endpoint, callbackQueue, delivery: delivery, observer: observer, progress: progress,
      completion: completion)
  }
}
