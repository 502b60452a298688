public import Foundation
internal import ReactiveNetworkLock

/// The reason why a WebSocket could not be opened, has failed, or cannot send a message.
///
/// It is the underlying error of a `NetworkError`. A server that answers the handshake with another status
/// than 101 causes `NetworkError.statusCode`, a connection that breaks `TransferError.connectionLost`.
public enum WebSocketError: Error, Sendable, Hashable {
  /// The transport cannot switch a connection to another protocol.
  case unsupportedByTransport
  /// The server's 101 response violates RFC 6455, section 4.2.2.
  case invalidHandshake(reason: String)
  /// The server has closed the connection with a code other than 1000 and 1001, or before it has got the messages
  /// that waited at `close()`; the code is `nil` if its close frame has none.
  case closed(code: WebSocketCloseCode?, reason: String)
  /// The server has violated RFC 6455; the connection is closed with the code.
  case protocolViolation(code: WebSocketCloseCode, reason: String)
  /// The server has sent a message with more bytes than `WebSocketOptions.messageLimit`.
  case messageTooLong(limit: Int)
  /// The server has sent nothing for this duration, not even the response to a ping.
  case noPong(after: Duration)
  /// The message was not sent, because the messages that wait to be sent have more bytes than
  /// `WebSocketOptions.sendQueueLimit`.
  case sendQueueFull(limit: Int)
  /// The message was not sent completely, because the connection is not open yet, is closing, or has ended.
  case notOpen
}

extension WebSocketError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHidingError
{
  package var text: RedactableDescription {
    switch self {
    case .unsupportedByTransport: RedactableDescription("unsupportedByTransport")
    case .invalidHandshake(let reason): RedactableDescription("invalidHandshake", ("reason", .text(reason)))
    case .closed(let code, let reason):
      RedactableDescription("closed", ("code", .plain(code as Any)), ("reason", .text(reason)))
    case .protocolViolation(let code, let reason):
      RedactableDescription("protocolViolation", ("code", .plain(code)), ("reason", .text(reason)))
    case .messageTooLong(let limit): RedactableDescription("messageTooLong", ("limit", .plain(limit)))
    case .noPong(let wait): RedactableDescription("noPong", ("after", .plain(wait.inSeconds)))
    case .sendQueueFull(let limit): RedactableDescription("sendQueueFull", ("limit", .plain(limit)))
    case .notOpen: RedactableDescription("notOpen")
    }
  }
}

extension WebSocketError: LocalizedError {
  /// A description in one line.
  public var errorDescription: String? {
    switch self {
    case .unsupportedByTransport:
      "The transport does not open WebSockets: `CurlTransport` does, and so do the layers around it."
    case .invalidHandshake(let reason):
      "The server's handshake is invalid: \(Redactor.standard.redacted(text: reason))."
    case .closed(let code, let reason):
      "The server closed the WebSocket (\(code.map { String($0.rawValue) } ?? "without a code"))"
        + (reason.isEmpty ? "." : ": \(Redactor.standard.redacted(text: reason)).")
    case .protocolViolation(let code, let reason):
      "The server violated the WebSocket protocol: \(reason) (closed with \(code.rawValue))."
    case .messageTooLong(let limit):
      "The server sent a message of more than \(limit) bytes; the limit is `WebSocketOptions.messageLimit`."
    case .noPong(let wait): "The server did not respond to a ping for \(wait.inSeconds) s."
    case .sendQueueFull(let limit):
      "More than \(limit) bytes wait to be sent; the limit is `WebSocketOptions.sendQueueLimit`."
    case .notOpen: "The WebSocket is not open."
    }
  }
}
