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
