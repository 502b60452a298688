public import Dispatch

/// What requests can be observed of; the reactive layer builds on this.
public protocol ObservableProviderType: NetworkProviderType {
  /// Starts a request and observes it.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - callbackQueue: where the callbacks run; `nil` for the provider's own choice.
  ///   - observer: receives the events of the request, as described for `RequestObserver`.
  ///   - progress: gets the progress.
  ///   - completion: gets the response or the error, exactly once.
  /// - Returns: a token to cancel the request with.
  @preconcurrency @discardableResult func request(
    _ target: Target, callbackQueue: DispatchQueue?, observer: @escaping @Sendable (RequestEvent) -> Void,
    progress: ProgressBlock?, completion: @escaping Completion
  ) -> any Cancellable

  /// Observes the requests that start from now on.
  ///
  /// - Parameter observer: receives the events, as described for `RequestObserver`.
  /// - Returns: a token that removes the observer; without a call of its `cancel()`, the observer stays.
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
  ///   - target: what to ask for.
  ///   - callbackQueue: where the callbacks run; `nil` for the provider's queue.
  ///   - observer: receives the events of the request, as described for `RequestObserver`.
  ///   - progress: gets the progress, the last one with the response just before the completion.
  ///   - completion: gets the response or the error, exactly once.
  /// - Returns: a token to cancel the request with; it may be dropped.
  // Disfavored, so that the first of two trailing closures still receives the progress.
  @_disfavoredOverload @preconcurrency @discardableResult public final func request(
    _ target: Target, callbackQueue: DispatchQueue? = nil,
    observer: @escaping @Sendable (RequestEvent) -> Void, progress: ProgressBlock? = nil,
    completion: @escaping Completion
  ) -> any Cancellable {
    start(target, callbackQueue, observer: observer, progress: progress, completion: completion)
  }

  /// Observes the requests that start from now on.
  ///
  /// - Parameter observer: receives the events, as described for `RequestObserver`.
  /// - Returns: a token that removes the observer; without a call of its `cancel()`, the observer stays.
  @preconcurrency public final func observeRequests(
    _ observer: @escaping @Sendable (RequestEvent) -> Void
  ) -> any Cancellable {
    pipeline.observers.add(observer)
  }
}

extension RequestCall {
  /// Calls a plugin for a request that is prepared.
  func preparing<Result>(_ body: () -> Result) -> Result {
    guard let observation else { return body() }
    return RequestID.$current.withValue(observation.id, operation: body)
  }
}

extension RequestPipeline {
  /// Returns the observation of a request that is accepted; `nil` if nothing observes it.
  func observe(
    _ target: any TargetType, _ endpoint: Endpoint, isShared: Bool = false,
    by own: RequestObservers.Handler? = nil
  ) -> RequestObservation? {
    guard let observation = observers.observation(by: own) else { return nil }
    let cause = isShared ? .shared : RequestCopies.cause(of: observation.id)
    observation.report(
      .queued(.init(target: target, method: endpoint.method, url: endpoint.url, cause: cause)))
    return observation
  }
}
