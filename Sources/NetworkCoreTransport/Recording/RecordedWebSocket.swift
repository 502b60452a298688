import Foundation

/// What a server sent over a WebSocket, as stored in a file.
struct RecordedWebSocket: Codable, Sendable {
  /// A frame of the server.
  struct Frame: Codable, Sendable {
    enum Kind: String, Codable, Sendable { case continuation, text, binary, close, ping }

    /// The number of messages that the client had sent before.
    var after: Int
    /// Whether the client had sent its close frame before; `nil` means `false`, as for the others.
    var afterClose: Bool?
    /// `nil` for bytes that are no regular frame.
    var kind: Kind?
    /// Whether another fragment of the message follows.
    var isFragment: Bool?
    var isCompressed: Bool?
    /// The code of a close frame.
    var code: UInt16?
    /// The rest of the payload as text if it is valid UTF-8, for readers of the file.
    var text: String?
    var data: Data?
  }

  enum End: String, Codable, Sendable {
    /// The server closed the connection.
    case closed
    /// The connection broke.
    case lost
    /// The client ended the connection.
    case open
    /// The server sent more than is recorded.
    case cutOff
  }

  /// The key of the handshake.
  var key: String
  var frames: [Frame] = []
  var end = End.open
  /// The reason why the connection broke.
  var reason: String?
  /// The number of messages that the client had sent before the end.
  var sent = 0
  /// Whether the client had sent its close frame before the end.
  var isClosedByClient: Bool?
}

extension RecordedWebSocket.Frame {
  /// Creates a description of a frame; `nil` for a pong, because a replay responds to pings by itself.
  init?(_ frame: WebSocketFrameSplitter.Frame, after: Int, afterClose: Bool) {
    self.init(after: after, afterClose: afterClose ? true : nil)
    let first = frame.head[0]
    kind = Kind(opcode: frame.opcode)
    isFragment = first & 0x80 == 0 ? true : nil
    isCompressed = first & 0x40 != 0 ? true : nil
    setPayload(frame.payload)
    guard bytes != frame.bytes else { return }
    if frame.bytes == Self.bytes(first: 0x8A, frame.payload) { return nil }
    self.init(after: after, raw: frame.bytes, afterClose: afterClose)
  }

  /// Creates a description of bytes that are no regular frame.
  init(after: Int, raw bytes: Data, afterClose: Bool) {
    self.init(after: after, afterClose: afterClose ? true : nil, data: bytes)
  }

  private mutating func setPayload(_ payload: Data) {
    var payload = payload
    if kind == .close, payload.count >= 2 {
      code = UInt16(payload.removeFirst()) << 8 | UInt16(payload.removeFirst())
    }
    guard !payload.isEmpty else { return }
    text = String(validating: payload, as: UTF8.self)
    data = text == nil ? payload : nil
  }

  /// The bytes that the server sent.
  var bytes: Data {
    let rest = data ?? Data((text ?? "").utf8)
    guard let kind else { return rest }
    let payload = (code.map { Data([UInt8($0 >> 8), UInt8($0 & 0xFF)]) } ?? Data()) + rest
    let flags: UInt8 = (isFragment == true ? 0 : 0x80) | (isCompressed == true ? 0x40 : 0)
    return Self.bytes(first: flags | kind.opcode, payload)
  }

  /// Returns the bytes of an unmasked frame.
  static func bytes(first: UInt8, _ payload: Data) -> Data {
    var bytes = Data([first])
    switch payload.count {
    case ..<126: bytes.append(UInt8(payload.count))
    case ..<65_536: bytes += [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default:
      bytes.append(127)
      bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> (8 * $0)) }
    }
    return bytes + payload
  }
}

extension RecordedWebSocket.Frame.Kind {
  fileprivate init?(opcode: UInt8) {
    guard let kind = [0: .continuation, 1: .text, 2: .binary, 8: .close, 9: Self.ping][opcode] else {
      return nil
    }
    self = kind
  }

  fileprivate var opcode: UInt8 {
    switch self {
    case .continuation: 0
    case .text: 1
    case .binary: 2
    case .close: 8
    case .ping: 9
    }
  }
}
