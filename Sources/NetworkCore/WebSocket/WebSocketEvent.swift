/// An event of a WebSocket.
public enum WebSocketEvent: Sendable {
  /// The server has accepted the handshake with this response (101); messages may be sent over the connection
  /// now.
  case opened(WebSocketConnection, Response)
  /// A message of the server.
  case message(WebSocketMessage)
  /// The end, always the last event; the error is `nil` if the server has closed with 1000, 1001 or no code, or with
  /// the code of the client, which had closed before, and everything that waited at that `close()` had been sent.
  case finished(NetworkError?)
}
