public import Foundation

/// Why what was streamed could not be read.
public enum StreamError: Error, Sendable, Hashable {
  /// A line has more than so many bytes.
  case lineTooLong(limit: Int)
  /// An event has more than so many bytes.
  case eventTooLong(limit: Int)
  /// The answer is not a stream of events: its media type is another one, or not given.
  case notAnEventStream(contentType: String?)
  /// A line, counted from 1, is not what was asked for; `text` is its beginning.
  case undecodableLine(number: Int, text: String, reason: String)
}

extension StreamError: LocalizedError {
  /// What happened, in one line.
  public var errorDescription: String? { Secrets.standard.shown(text: sentence) }

  private var sentence: String {
    switch self {
    case .lineTooLong(let limit): "A line of the answer has more than \(limit) bytes."
    case .eventTooLong(let limit): "An event of the answer has more than \(limit) bytes."
    case .notAnEventStream(let type?):
      "The answer is \(type.debugDescription); text/event-stream was asked for."
    case .notAnEventStream(nil): "The answer has no Content-Type; text/event-stream was asked for."
    case .undecodableLine(let number, let text, let reason):
      "Line \(number), \(text.debugDescription), could not be decoded: \(reason)"
    }
  }
}

extension StreamError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable,
  SecretHidingError
{
  package var text: SafeText {
    switch self {
    case .lineTooLong(let limit):
      SafeText("lineTooLong", ("limit", .plain(limit)))
    case .eventTooLong(let limit):
      SafeText("eventTooLong", ("limit", .plain(limit)))
    case .notAnEventStream(let contentType):
      SafeText("notAnEventStream", ("contentType", .plain(contentType as Any)))
    case .undecodableLine(let number, let text, let reason):
      SafeText(
        "undecodableLine", ("number", .plain(number)), ("text", .text(text)), ("reason", .text(reason)))
    }
  }
}
