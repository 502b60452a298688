/// An event of a WebSocket.
public enum WebSocketEvent: Sendable {
  /// The server has accepted the handshake with this response (101); messages may be sent over the connection
  /// now.
  case opened(WebSocketConnection, Response)
  /// A message of the server.
  case message(WebSocketMessage)
  /// The end, always the last event; the error is `nil` if one side has closed with 1000, 1001 or no code.
  case finished(NetworkError?)
}
