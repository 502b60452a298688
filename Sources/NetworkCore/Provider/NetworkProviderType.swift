public import Dispatch

/// Called with the result of a request.
public typealias Completion = @Sendable (_ result: Result<Response, NetworkError>) -> Void

/// A type that sends requests; the reactive layer is built on it.
@preconcurrency public protocol NetworkProviderType: AnyObject, Sendable {
  /// The type of the targets.
  associatedtype Target: TargetType

  /// Makes the endpoint of a target, whose URL decides which pages `paginate` may request.
  ///
  /// A provider that wraps another one returns the endpoint of that provider. The default implementation
  /// returns that of `NetworkProvider.defaultEndpointMapping(for:)`.
  ///
  /// - Parameter target: the target.
  /// - Returns: the endpoint.
  func endpoint(_ target: Target) -> Endpoint

  /// Starts a request.
  ///
  /// - Parameters:
  ///   - target: the target.
  ///   - callbackQueue: the queue of the callbacks; `nil` for the provider's default.
  ///   - progress: called with the progress.
  ///   - completion: called with the response or the error, exactly once.
  /// - Returns: a token that cancels the request.
  @preconcurrency @discardableResult func request(
    _ target: Target, callbackQueue: DispatchQueue?, progress: ProgressBlock?,
    completion: @escaping Completion
  ) -> any Cancellable

  /// Observes the requests that start after this call.
  ///
  /// A provider that wraps another one forwards this call. The default implementation reports no events.
  ///
  /// - Parameter observer: receives the events, as described for `RequestObserver`.
  /// - Returns: a token whose `cancel()` removes the observer. Dropping the token does not remove it.
  @preconcurrency func observeRequests(_ observer: @escaping @Sendable (RequestEvent) -> Void)
    -> any Cancellable
}

extension NetworkProviderType {
  /// Makes the endpoint of a target as `NetworkProvider.defaultEndpointMapping(for:)` does.
  ///
  /// - Parameter target: the target.
  /// - Returns: the endpoint.
  public func endpoint(_ target: Target) -> Endpoint { NetworkProvider.defaultEndpointMapping(for: target) }

  /// Reports no events.
  ///
  /// - Parameter observer: is not called.
  /// - Returns: a token without effect.
  @preconcurrency public func observeRequests(
    _ observer: @escaping @Sendable (RequestEvent) -> Void
  ) -> any Cancellable { CancellableToken {} }
}
