import ReactiveNetwork
import ReactiveNetworkExamples

/// What an event says about an answer.
enum AnswerEvent: Sendable, Equatable {
  /// The next piece of its text, which may be empty.
  case text(String)
  /// The model has stopped, for the reason; no more text follows.
  case stopped(reason: String)
  /// No more events follow.
  case end
  /// Nothing, as events that keep the connection alive.
  case other
}

/// The reason why an answer did not arrive in full, apart from failures of the request.
enum AnswerError: LocalizedError, Equatable {
  /// The response ended before the answer did.
  case cutOff
  /// The server reports an error in an event.
  case reported(type: String, message: String)
  /// An event is not of the form that the API documents.
  case malformedEvent(String)

  /// `true` if the rest of the answer may be asked for.
  var isTransient: Bool {
    switch self {
    case .cutOff: true
    case .reported(let type, _): ["overloaded_error", "api_error", "server_error"].contains(type)
    case .malformedEvent: false
    }
  }

  var errorDescription: String? {
    switch self {
    case .cutOff: "the response ended too early"
    case .reported(let type, let message): "the server reports \(type): \(message)"
    case .malformedEvent(let text): "an event is malformed: \(text)"
    }
  }
}

extension ModelAPI {
  /// Returns what an event says; throws `AnswerError` if it reports an error, or is malformed.
  func answerEvent(_ event: ServerSentEvent) throws -> AnswerEvent {
    if self == .openAI, event.data == "[DONE]" { return .end }
    guard let payload = try? JSONDecoder().decode(Payload.self, from: Data(event.data.utf8)) else {
      throw AnswerError.malformedEvent(event.data.fitted(to: 60))
    }
    if let error = payload.error {
      throw AnswerError.reported(type: error.type ?? "an error", message: error.message ?? "")
    }
    switch self {
    case .openAI:
      guard let choice = payload.choices?.first else { return .other }
      if let reason = choice.finishReason { return .stopped(reason: reason) }
      return .text(choice.delta?.content ?? "")
    case .anthropic:
      switch payload.type {
      case "content_block_delta": return .text(payload.delta?.text ?? "")
      case "message_delta": return payload.delta?.stopReason.map(AnswerEvent.stopped) ?? .other
      case "message_stop": return .end
      default: return .other
      }
    }
  }
}

/// The fields of the events of both APIs that matter here.
private struct Payload: Decodable {
  struct Choice: Decodable {
    struct Delta: Decodable { let content: String? }
    let delta: Delta?
    let finishReason: String?

    enum CodingKeys: String, CodingKey {
      case delta
      case finishReason = "finish_reason"
    }
  }

  struct Delta: Decodable {
    let text: String?
    let stopReason: String?

    enum CodingKeys: String, CodingKey {
      case text
      case stopReason = "stop_reason"
    }
  }

  let type: String?
  let choices: [Choice]?
  let delta: Delta?
  let error: ReportedError?
}

/// An error as both APIs describe it, in events and in the bodies of responses.
struct ReportedError: Decodable {
  let type: String?
  let message: String?
}
