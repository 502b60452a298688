public import Dispatch

/// A provider that can open WebSockets; the reactive layer builds on it.
public protocol WebSocketProviderType: NetworkProviderType {
  /// Opens a WebSocket whose events a closure receives.
  ///
  /// - Parameters:
  ///   - target: the target.
  ///   - options: subprotocols and limits.
  ///   - callbackQueue: the queue of the events; `nil` to let the provider choose.
  ///   - receive: receives the events one at a time; `.finished` exactly once, as the last.
  /// - Returns: the connection.
  @preconcurrency @discardableResult func webSocket(
    _ target: Target, options: WebSocketOptions, callbackQueue: DispatchQueue?,
    receive: @escaping @Sendable (WebSocketEvent) -> Void
  ) -> WebSocketConnection
}
