/// An open WebSocket; returned by `NetworkProvider.webSocket(_:options:)`.
///
/// The messages of the server are the elements of the sequence. It ends when the server has closed with 1000,
/// 1001, without a code, or with the code of `close(code:reason:)`, and everything that waited at that call has been
/// sent; otherwise it throws the reason. There is only one sequence of messages: a second iteration continues where
/// the first one stopped. Up to 256 KiB of messages are buffered for a reader; then the server has to wait.
///
/// The connection closes with 1001 if the WebSocket and its iterators are released, or if a task is cancelled
/// while it waits for a message.
public final class WebSocket: AsyncSequence, Sendable {
  /// A message of the server.
  public typealias Element = WebSocketMessage
  /// The reason why the connection has ended.
  public typealias Failure = NetworkError

  private let connection: WebSocketConnection
  /// The server's response to the handshake.
  public let response: Response

  init(opening connection: WebSocketConnection) async throws(NetworkError) {
    self.connection = connection
    switch await connection.next() {
    case .opened(_, let response): self.response = response
    case .finished(let error?): throw error
    case .message, .finished(nil): throw .cancelled
    }
  }

  deinit {
    connection.cancel()
  }

  /// The subprotocol that the server has chosen; `nil` if it has chosen none.
  public var subprotocol: String? { response.headers["Sec-WebSocket-Protocol"] }

  /// Sends a message after those that were sent before, and suspends until the connection has taken it.
  ///
  /// This does not mean that the server has received it. Cancelling the task has no effect on the message.
  ///
  /// - Parameter message: the message.
  /// - Throws: `NetworkError.underlying` with `WebSocketError.notOpen` or `.sendQueueFull` if the message was
  ///   not sent completely.
  public func send(_ message: WebSocketMessage) async throws(NetworkError) {
    let error = await withCheckedContinuation { continuation in
      connection.enqueue(message, onTaken: { continuation.resume(returning: $0) })
    }
    if let error { throw .underlying(error, nil) }
  }

  /// Closes the connection after the messages that wait to be sent.
  ///
  /// The server's messages are delivered until it has closed as well. The sequence throws if the server closes
  /// with a code other than 1000, 1001 and this one, before it has got the messages, or without
  /// progress for the `closeTimeout` of the options.
  ///
  /// - Parameters:
  ///   - code: the reason; a code that must not be sent (RFC 6455, section 7.4.2) is replaced by 1000.
  ///   - reason: a text for the server, cut at 123 bytes of UTF-8.
  public func close(code: WebSocketCloseCode = .normalClosure, reason: String = "") {
    connection.close(code: code, reason: reason)
  }

  /// Returns an iterator over the messages.
  public func makeAsyncIterator() -> Iterator { Iterator(socket: self) }

  /// Receives the messages.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let socket: WebSocket

    /// Waits for the next message and returns it; `nil` after the last one.
    ///
    /// - Throws: the reason why the connection has ended.
    public mutating func next() async throws(NetworkError) -> WebSocketMessage? {
      try await next(isolation: nil)
    }

    /// Waits for the next message and returns it; `nil` after the last one.
    ///
    /// - Throws: the reason why the connection has ended.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(NetworkError) -> WebSocketMessage? {
      switch await socket.connection.next() {
      case .message(let message): return message
      case .finished(nil), .opened: return nil
      case .finished(let error?): throw error
      }
    }
  }
}

extension WebSocketConnection {
  /// Waits for the next event; cancelling the task cancels the connection.
  fileprivate func next() async -> WebSocketEvent {
    while true {
      let event = await withTaskCancellationHandler {
        await withCheckedContinuation { (continuation: CheckedContinuation<WebSocketEvent?, Never>) in
          if let event = next(orWhenReady: { continuation.resume(returning: nil) }) {
            continuation.resume(returning: event)
          }
        }
      } onCancel: {
        cancel()
      }
      if let event { return event }
    }
  }
}
