public import struct Foundation.Data

/// A message of a WebSocket (RFC 6455, section 5.6).
public enum WebSocketMessage: Sendable, Hashable {
  /// Text, sent as UTF-8.
  case text(String)
  /// Bytes.
  case binary(Data)

  /// The number of bytes of the payload.
  public var byteCount: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .binary(let data): data.count
    }
  }

  /// The number of bytes that a message counts in a buffer in addition to its payload.
  ///
  /// Without them, a server could fill the memory with empty messages.
  static let overhead = 64

  /// The number of bytes that the message counts in a buffer.
  package var bufferedByteCount: Int { byteCount + Self.overhead }

  /// The text; `nil` for a binary message.
  public var text: String? {
    if case .text(let text) = self { text } else { nil }
  }

  /// The payload; the UTF-8 bytes of a text message.
  public var data: Data {
    switch self {
    case .text(let text): Data(text.utf8)
    case .binary(let data): data
    }
  }
}
