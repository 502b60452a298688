/// One turn of a conversation.
struct Message: Codable, Sendable, Hashable {
  enum Role: String, Codable, Sendable {
    case user
    case assistant
  }

  let role: Role
  let content: String
}

extension [Message] {
  /// What asks for the rest of an answer; no API of a language model can resume one.
  static let continuation =
    "Your answer was cut off. Continue exactly where it ends, and repeat nothing of it."

  /// The conversation that asks for the rest of an answer of which only the beginning has arrived.
  func continuing(_ beginning: String) -> [Message] {
    guard !beginning.isEmpty else { return self }
    return self + [
      Message(role: .assistant, content: beginning), Message(role: .user, content: Self.continuation),
    ]
  }
}
