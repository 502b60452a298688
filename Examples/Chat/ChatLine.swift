import ReactiveNetwork

/// A line that a person says; sent to the server.
struct ChatLine: Codable, Sendable, Hashable {
  /// Identifies the line, however often it is sent.
  let id: String
  let author: String
  let text: String

  /// The line as a message.
  func message() throws -> WebSocketMessage {
    .text(String(decoding: try JSONEncoder().encode(self), as: UTF8.self))
  }
}

/// A line of the room; sent by the server to everyone.
struct RoomLine: Codable, Sendable, Hashable {
  /// The place in the room, from 1.
  let number: Int
  let line: ChatLine
}
