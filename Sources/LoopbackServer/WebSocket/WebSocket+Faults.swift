extension LoopbackServer.WebSocket {
  /// What is wrong with a frame.
  public enum FrameFault: Sendable, Hashable {
    /// Its payload is masked, which only a client may do.
    case masked
    /// It has bits that no extension has agreed on; 1 to 7, of which 4 is RSV1.
    case reservedBits(UInt8)
    /// Its payload ends with a byte that is not UTF-8.
    case invalidUTF8
    /// Its head announces so many bytes, whatever the payload has.
    case length(Int)
    /// Only its first bytes are sent, and then the connection ends.
    case cut(after: Int)
  }

  /// Sends a message in one frame that has a fault, and is not compressed; `sentFrames` does not have it.
  public func send(_ message: Message, with fault: FrameFault) {
    var frame = FrameBytes(opcode: message.opcode, payload: message.bytes)
    var limit = Int.max
    switch fault {
    case .masked: frame.mask = [0x12, 0x34, 0x56, 0x78]
    case .reservedBits(let bits): frame.reserved = bits & 7
    case .invalidUTF8: frame.payload.append(0xFF)
    case .length(let length): frame.announcedLength = length
    case .cut(let count): limit = max(0, count)
    }
    sendRaw(Array(frame.all.prefix(limit)))
    if limit < .max { abort() }
  }
}
