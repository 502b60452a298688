public import Foundation

/// The reason why a streamed body, or a message of a WebSocket, could not be parsed.
public enum StreamError: Error, Sendable, Hashable {
  /// A line has more than `limit` bytes.
  case lineTooLong(limit: Int)
  /// The data of an event has more than `limit` bytes.
  case eventTooLong(limit: Int)
  /// The response is not an event stream, because its media type is a different one or missing.
  case notAnEventStream(contentType: String?)
  /// A line could not be decoded. Lines are counted from 1, and `text` is the beginning of the line.
  case undecodableLine(number: Int, text: String, reason: String)
  /// A message of a WebSocket could not be decoded. Messages are counted from 1, and `text` is the beginning of
  /// the message.
  case undecodableMessage(number: Int, text: String, reason: String)
}

extension StreamError: LocalizedError {
  /// A description of the error in one line.
  public var errorDescription: String? { Redactor.standard.redacted(text: sentence) }

  private var sentence: String {
    switch self {
    case .lineTooLong(let limit): "A line of the response has more than \(limit) bytes."
    case .eventTooLong(let limit): "An event of the response has more than \(limit) bytes."
    case .notAnEventStream(let type?):
      "The Content-Type of the response is \(type.debugDescription); expected text/event-stream."
    case .notAnEventStream(nil): "The response has no Content-Type; expected text/event-stream."
    case .undecodableLine(let number, let text, let reason):
      "Line \(number), \(text.debugDescription), could not be decoded: \(reason)"
    case .undecodableMessage(let number, let text, let reason):
      "Message \(number), \(text.debugDescription), could not be decoded: \(reason)"
    }
  }
}

extension StreamError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHidingError
{
  package var text: RedactableDescription {
    switch self {
    case .lineTooLong(let limit):
      RedactableDescription("lineTooLong", ("limit", .plain(limit)))
    case .eventTooLong(let limit):
      RedactableDescription("eventTooLong", ("limit", .plain(limit)))
    case .notAnEventStream(let contentType):
      RedactableDescription("notAnEventStream", ("contentType", .plain(contentType as Any)))
    case .undecodableLine(let number, let text, let reason):
      RedactableDescription(
        "undecodableLine", ("number", .plain(number)), ("text", .text(text)), ("reason", .text(reason)))
    case .undecodableMessage(let number, let text, let reason):
      RedactableDescription(
        "undecodableMessage", ("number", .plain(number)), ("text", .text(text)), ("reason", .text(reason)))
    }
  }
}
