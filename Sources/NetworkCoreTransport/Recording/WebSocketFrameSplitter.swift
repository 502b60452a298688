import Foundation

/// Splits what one side of a WebSocket sends into frames (RFC 6455, section 5.2), without checking them.
struct WebSocketFrameSplitter {
  struct Frame {
    /// The first 2 to 14 bytes, up to the payload.
    var head: [UInt8] = []
    /// The payload as it was sent; empty for a message that is not kept.
    var payload = Data()

    var opcode: UInt8 { (head.first ?? 0) & 0x0F }

    var isControl: Bool { opcode >= 8 }

    /// All bytes as they were sent.
    var bytes: Data { Data(head) + payload }

    /// The payload without the mask of a client.
    var unmaskedPayload: Data {
      guard head.count > 4, head[1] & 0x80 != 0 else { return payload }
      let key = Array(head.suffix(4))
      return Data(payload.enumerated().map { $1 ^ key[$0 & 3] })
    }

    /// The length of the head, as far as it is known.
    fileprivate var headLength: Int {
      guard head.count >= 2 else { return 2 }
      return 2 + lengthBytes + (head[1] & 0x80 != 0 ? 4 : 0)
    }

    fileprivate var payloadLength: UInt64 {
      lengthBytes == 0 ? UInt64(head[1] & 0x7F) : head[2..<2 + lengthBytes].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private var lengthBytes: Int {
      switch head[1] & 0x7F {
      case 126: 2
      case 127: 8
      default: 0
      }
    }
  }

  /// Whether the payloads of messages are kept, as those of control frames always are.
  private let keepsMessages: Bool
  /// The frame that is arriving; empty between frames.
  private(set) var incomplete = Frame()
  /// The number of bytes that follow of its payload; `nil` within its head.
  private var remaining: UInt64?

  init(keepsMessages: Bool) {
    self.keepsMessages = keepsMessages
  }

  /// Takes further bytes, and passes on the frames that they complete.
  mutating func split(_ bytes: UnsafeRawBufferPointer, _ receive: (Frame) -> Void) {
    var rest = bytes[...]
    while true {
      if remaining == nil {
        while incomplete.head.count < incomplete.headLength, let byte = rest.popFirst() {
          incomplete.head.append(byte)
        }
        guard incomplete.head.count == incomplete.headLength else { return }
      }
      let left = remaining ?? incomplete.payloadLength
      let piece = rest.prefix(Int(min(UInt64(rest.count), left)))
      rest = rest.dropFirst(piece.count)
      if keepsMessages || incomplete.isControl { incomplete.payload.append(contentsOf: piece) }
      remaining = left - UInt64(piece.count)
      guard remaining == 0 else { return }
      receive(incomplete)
      (incomplete, remaining) = (Frame(), nil)
    }
  }
}
