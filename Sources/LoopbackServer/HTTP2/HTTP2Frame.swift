/// A frame that the server sends without its session (RFC 9113, section 6).
private struct HTTP2Frame {
  enum Kind: UInt8 {
    case data = 0
    case headers = 1
    case reset = 3
    case ping = 6
    case continuation = 9
  }

  var kind: Kind
  var flags: UInt8 = 0
  var stream: Int32
  var payload: [UInt8] = []

  var bytes: [UInt8] {
    let length = UInt32(payload.count).bigEndianBytes.dropFirst()
    return length + [kind.rawValue, flags] + UInt32(stream).bigEndianBytes + payload
  }
}

extension LoopbackServer.Reply.FloodFrame {
  /// The bytes of so many frames; none if the session sends them.
  func bytes(count: Int, stream: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    let frame: HTTP2Frame
    switch self {
    case .settings: return []
    case .ping: frame = HTTP2Frame(kind: .ping, stream: 0, payload: Array(repeating: 0, count: 8))
    case .emptyData: frame = HTTP2Frame(kind: .data, stream: stream)
    case .reset: frame = HTTP2Frame(kind: .reset, stream: stream, payload: [0, 0, 0, 8])
    case .trailer:
      let endOfStream: UInt8 = 1
      bytes = HTTP2Frame(kind: .headers, flags: endOfStream, stream: stream).bytes
      // A field of the name `x`, whose value has a kibibyte (RFC 7541, section 6.2.2).
      let field = [0, 1, UInt8(ascii: "x"), 0x7F, 0x81, 7] + [UInt8](repeating: 120, count: 1024)
      frame = HTTP2Frame(kind: .continuation, stream: stream, payload: field)
    }
    let repeated = frame.bytes
    for _ in 0..<min(count, (64 << 20) / repeated.count) { bytes += repeated }
    return bytes
  }
}

extension UInt32 {
  fileprivate var bigEndianBytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) } }
}
