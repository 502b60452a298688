import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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
    guard changesCurrentID else { return body() }
    return RequestID.$current.withValue(observation?.id, operation: body)
  }

  /// Calls an asynchronous plugin that prepares the request, with `RequestID.current` set.
  func preparing(_ body: @Sendable () async throws -> URLRequest) async throws -> URLRequest {
    guard changesCurrentID else { return try await body() }
    return try await RequestID.$current.withValue(observation?.id, operation: body)
  }

  /// Whether `RequestID.current` is to change, also to `nil`: another request's plugin may have started this one.
  private var changesCurrentID: Bool { observation != nil || RequestID.current != nil }
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
