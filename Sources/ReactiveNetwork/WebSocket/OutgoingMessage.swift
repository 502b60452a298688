import NetworkCore

/// A message to send over a WebSocket, and what it is for.
struct OutgoingMessage: Sendable {
  enum Purpose: Sendable {
    /// A message of the program.
    case content
    /// Begins a topic of a `WebSocketSubject`.
    case begin(topic: Int)
    /// Ends a topic.
    case end
  }

  let message: WebSocketMessage
  let purpose: Purpose

  init(_ message: WebSocketMessage, _ purpose: Purpose = .content) {
    self.message = message
    self.purpose = purpose
  }

  /// The topic that the message begins.
  var topic: Int? {
    if case .begin(let topic) = purpose { topic } else { nil }
  }

  /// Whether the message concerns more than one connection, unlike those that begin and end topics.
  var isContent: Bool {
    if case .content = purpose { true } else { false }
  }
}
