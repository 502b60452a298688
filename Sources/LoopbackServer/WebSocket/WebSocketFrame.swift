extension LoopbackServer.WebSocket {
  /// A frame that the client or the server has sent.
  public struct Frame: Sendable, Hashable {
    /// 0 continuation, 1 text, 2 binary, 8 close, 9 ping, 10 pong.
    public let opcode: UInt8
    /// Whether it is the last frame of its message.
    public let isFinal: Bool
    /// Whether it begins a compressed message (RFC 7692), whose payload is given as it came.
    public let isCompressed: Bool
    /// Whether the payload was masked, as a client must do.
    public let isMasked: Bool
    /// The payload, unmasked.
    public internal(set) var payload: [UInt8]
    /// The time since the handshake.
    public internal(set) var time = Duration.zero
  }

  /// The frames of one direction, with a bound on their number and on their bytes.
  struct FrameLog {
    private(set) var frames: [Frame] = []
    private var bytes = 0

    mutating func append(_ frame: Frame) {
      guard frames.count < 100_000 else { return }
      frames.append(frame)
      if frame.payload.count > 64 << 20 - bytes {
        frames[frames.count - 1].payload = []
      } else {
        bytes += frame.payload.count
      }
    }
  }
}

/// The bytes of a frame (RFC 6455, section 5.2).
struct FrameBytes {
  var opcode: UInt8
  var isFinal = true
  /// The bits RSV1 to RSV3, of which the first says that the message is compressed.
  var reserved: UInt8 = 0
  var mask: [UInt8]?
  /// The length in the head, if that is not the one of the payload.
  var announcedLength: Int?
  var payload: [UInt8]

  var all: [UInt8] {
    let length = announcedLength ?? payload.count
    let maskBit: UInt8 = mask == nil ? 0 : 0x80
    var bytes = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode]
    switch length {
    case ..<126: bytes.append(maskBit | UInt8(max(0, length)))
    case ..<65_536: bytes += [maskBit | 126, UInt8(length >> 8), UInt8(length & 0xFF)]
    default:
      bytes.append(maskBit | 127)
      bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
    }
    guard let mask else { return bytes + payload }
    return bytes + mask + payload.indices.map { payload[$0] ^ mask[$0 & 3] }
  }
}
