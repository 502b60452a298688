public import Dispatch

/// What answers can be streamed with; the reactive layer builds on this.
public protocol StreamingProviderType: NetworkProviderType {
  /// Starts a request whose answer is handed on as it arrives.
  ///
  /// - Parameters:
  ///   - target: what to ask for.
  ///   - headers: header fields in place of, or beside, the target's own.
  ///   - callbackQueue: where the events are delivered; `nil` for the provider's own choice.
  ///   - receive: gets the events one after the other; `.finished` once, as the last.
  /// - Returns: a token to cancel the request with.
  @preconcurrency @discardableResult func stream(
    _ target: Target, headers: HTTPHeaders, callbackQueue: DispatchQueue?,
    receive: @escaping @Sendable (ResponseStreamEvent) -> Void
  ) -> any Cancellable
}
