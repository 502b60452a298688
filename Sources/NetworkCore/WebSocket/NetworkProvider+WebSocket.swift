public import Dispatch

extension NetworkProvider: WebSocketProviderType {
  /// Opens a WebSocket (RFC 6455), and returns it when the server has accepted the handshake.
  ///
  /// ```swift
  /// let socket = try await provider.webSocket(.chat)
  /// try await socket.send(.text("hello"))
  /// for try await message in socket { print(message) }
  /// ```
  ///
  /// The handshake is a request like any other: endpoint, interceptors, plugins, observers, redirects, cookies,
  /// credentials, proxies and TLS apply to it. The URL has the scheme `ws`, `wss`, `http`, `https` or, for a
  /// Unix domain socket, `http+unix`.
  /// Interceptors may retry the handshake, for example with a new token after a 401. Plugins get its response
  /// when the connection has ended.
  ///
  /// Cancelling the task cancels the handshake. In a task that is already cancelled, no request is sent.
  ///
  /// - Parameters:
  ///   - target: the target, whose method must be GET.
  ///   - options: subprotocols and limits.
  /// - Returns: the WebSocket, which closes when it is released.
  /// - Throws: `NetworkError.statusCode` for a response other than 101, with up to 1 MiB of its body;
  ///   `.underlying` with `WebSocketError.invalidHandshake` or `.unsupportedByTransport`; or the error of the
  ///   request.
  public func webSocket(
    _ target: Target, options: WebSocketOptions = WebSocketOptions()
  ) async throws(NetworkError) -> WebSocket {
    guard !_Concurrency.Task.isCancelled else { throw .cancelled }
    let connection = WebSocketConnection(options, scheduler)
    start(target, connection, callbackQueue: nil) { connection.begin($0) }
    return try await WebSocket(opening: connection)
  }

  /// Opens a WebSocket whose events a closure receives, one at a time; otherwise as
  /// ``webSocket(_:options:)``.
  ///
  /// A receiver that blocks makes the server wait after 256 KiB of messages are buffered.
  ///
  /// - Parameters:
  ///   - target: the target, whose method must be GET.
  ///   - options: subprotocols and limits.
  ///   - callbackQueue: the queue of the events; `nil` for the provider's queue or, if it has none, a separate
  ///     background queue. Without a queue, a stub is delivered on the thread that causes it.
  ///   - receive: receives the events; `.finished` exactly once, as the last.
  /// - Returns: the connection; you may drop it.
  @preconcurrency @discardableResult public func webSocket(
    _ target: Target, options: WebSocketOptions = WebSocketOptions(), callbackQueue: DispatchQueue? = nil,
    receive: @escaping @Sendable (WebSocketEvent) -> Void
  ) -> WebSocketConnection {
    let connection = WebSocketConnection(options, scheduler)
    start(target, connection, callbackQueue: callbackQueue) { call in
      connection.begin(call)
      BufferDrain(
        next: { connection.next(orWhenReady: $0) },
        on: deliveryQueue(of: call, callbackQueue, "NetworkCore.webSocket")
      ) { event in
        receive(event)
        if case .finished = event { return false }
        return true
      }.begin()
    }
    return connection
  }

  private func start(
    _ target: Target, _ connection: WebSocketConnection, callbackQueue: DispatchQueue?,
    prepare: (RequestCall) -> Void
  ) {
    _ = start(
      target, endpoint(target), callbackQueue,
      delivery: WebSocketBodyDelivery(connection: connection, session: session, target: target),
      validation: .acceptingAll, progress: nil, prepare: prepare, completion: { connection.buffer.close($0) })
  }
}
