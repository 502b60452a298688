public import Dispatch

/// A provider whose requests can be observed; the reactive layer builds on it.
public protocol ObservableProviderType: NetworkProviderType {
  /// Starts a request and observes it.
  ///
  /// - Parameters:
  ///   - target: the request to send.
  ///   - callbackQueue: the queue for the callbacks; `nil` for the provider's queue.
  ///   - observer: receives the events of the request, as described for `RequestObserver`.
  ///   - progress: receives the progress.
  ///   - completion: receives the response or the error, exactly once.
  /// - Returns: a token that cancels the request.
  @preconcurrency @discardableResult func request(
    _ target: Target, callbackQueue: DispatchQueue?, observer: @escaping @Sendable (RequestEvent) -> Void,
    progress: ProgressBlock?, completion: @escaping Completion
  ) -> any Cancellable

  /// Observes the requests that start after this call.
  ///
  /// - Parameter observer: receives the events, as described for `RequestObserver`.
  /// - Returns: a token whose `cancel()` removes the observer. Dropping the token does not remove it.
  @preconcurrency func observeRequests(_ observer: @escaping @Sendable (RequestEvent) -> Void)
    -> any Cancellable
}

extension NetworkProvider: ObservableProviderType {
  /// Starts a request and observes it.
  ///
  /// ```swift
  /// provider.request(.repos("ash"), observer: { print($0) }) { result in
  ///   print(result)
  /// }
  /// ```
  ///
  /// A subclass's `request(_:callbackQueue:progress:completion:)` is not called.
  ///
  /// - Parameters:
  ///   - target: the request to send.
  ///   - callbackQueue: the queue for the callbacks; `nil` for the provider's queue.
  ///   - observer: receives the events of the request, as described for `RequestObserver`.
  ///   - progress: receives the progress, the last one with the response just before the completion.
  ///   - completion: receives the response or the error, exactly once.
  /// - Returns: a token that cancels the request. Dropping the token does not cancel it.
  @_disfavoredOverload @preconcurrency @discardableResult public final func request(
    _ target: Target, callbackQueue: DispatchQueue? = nil,
    observer: @escaping @Sendable (RequestEvent) -> Void, progress: ProgressBlock? = nil,
    completion: @escaping Completion
  ) -> any Cancellable {
    // Disfavored, so that the first of two trailing closures still receives the progress.
    start(target, callbackQueue, observer: observer, progress: progress, completion: completion)
  }

  /// Observes the requests that start after this call.
  ///
  /// - Parameter observer: receives the events, as described for `RequestObserver`.
  /// - Returns: a token whose `cancel()` removes the observer. Dropping the token does not remove it.
  @preconcurrency public final func observeRequests(
    _ observer: @escaping @Sendable (RequestEvent) -> Void
  ) -> any Cancellable {
    pipeline.observers.add(observer)
  }
}

extension RequestCall {
  /// Calls a plugin that prepares the request, with `RequestID.current` set.
  func preparing<Result>(_ body: () -> Result) -> Result {
    guard let observation else { return body() }
    return RequestID.$current.withValue(observation.id, operation: body)
  }
}

extension RequestPipeline {
  /// Reports `queued` and returns the observation of an accepted request; `nil` if nothing observes it.
  func observe(
    _ target: any TargetType, _ endpoint: Endpoint, by own: RequestObservers.Handler?
  ) -> RequestObservation? {
    guard let observation = observers.observation(by: own) else { return nil }
    let cause = RelatedRequests.cause(of: observation.id)
    observation.report(
      kind: .queued(.init(target: target, method: endpoint.method, url: endpoint.url, cause: cause)))
    return observation
  }
}
