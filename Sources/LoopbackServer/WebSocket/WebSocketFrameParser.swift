/// Parses the frames of a client (RFC 6455, section 5.2), into whatever pieces they are split.
struct WebSocketFrameParser {
  enum Event: Equatable {
    /// No complete frame has been received.
    case needsMore
    /// A complete frame.
    case frame(LoopbackServer.WebSocket.Frame)
    /// The length of a frame has its first bit set; no further bytes are read.
    case invalidLength
  }

  private var input: [UInt8]
  /// The number of bytes of the input that have been read.
  private var used = 0

  init(_ input: [UInt8] = []) {
    self.input = input
  }

  mutating func append(_ bytes: some Collection<UInt8>) {
    input.removeFirst(used)
    used = 0
    input.append(contentsOf: bytes)
  }

  mutating func removeAll() { (input, used) = ([], 0) }

  /// Returns the next event in the bytes received so far.
  mutating func next() -> Event {
    var rest = input[used...]
    guard let first = rest.popFirst(), let second = rest.popFirst() else { return .needsMore }
    var length = UInt64(second & 0x7F)
    if length >= 126 {
      let digits = rest.prefix(length == 126 ? 2 : 8)
      guard digits.count == (length == 126 ? 2 : 8) else { return .needsMore }
      rest = rest[digits.endIndex...]
      length = digits.reduce(0) { $0 << 8 | UInt64($1) }
    }
    guard let length = Int(exactly: length) else { return .invalidLength }
    let isMasked = second & 0x80 != 0
    let key = isMasked ? Array(rest.prefix(4)) : [0, 0, 0, 0]
    guard key.count == 4 else { return .needsMore }
    if isMasked { rest = rest.dropFirst(4) }
    guard rest.count >= length else { return .needsMore }
    var payload = Array(rest.prefix(length))
    for index in payload.indices { payload[index] ^= key[index & 3] }
    used = rest.startIndex + length
    return .frame(
      LoopbackServer.WebSocket.Frame(
        opcode: first & 0x0F, isFinal: first & 0x80 != 0, isCompressed: first & 0x40 != 0,
        isMasked: isMasked, payload: payload))
  }
}
