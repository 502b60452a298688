extension NetworkProvider {
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
