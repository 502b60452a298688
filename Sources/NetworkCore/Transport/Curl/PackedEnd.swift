/// How a body is packed of which it can be told whether it has come to its end.
enum Packing {
  case deflate
  case gzip
  case zstd
}

/// Watches the bytes of a packed body for its end: of gzip the last four, which say how many it unpacks to (RFC 1952,
/// section 2.3.1), of deflate the last four, which are the checksum of those (RFC 1950, section 2.2), of zstd the end of a frame.
///
/// libcurl takes a stream that stops early for a whole one where length or chunks are in order. It shows the bytes as they
/// come; up to 8.6 with what stands around chunks. Which it was, the number of bytes that it has counted says.
struct PackedEnd {
  private struct Tail {
    var count: Int64 = 0
    /// The last four bytes, the last one as the highest.
    var word: UInt32 = 0
    /// The first two bytes.
    var start: UInt16 = 0
    /// What is known of the frames of zstd; `nil` for the others.
    var frames: ZstdFrames?

    init(_ packing: Packing) {
      frames = packing == .zstd ? ZstdFrames() : nil
    }

    /// Whether a deflated body has a checksum at its end: some servers leave that and the bytes before the body out, which
    /// then begins with no such pair.
    var hasChecksum: Bool { start & 0x0F00 == 0x0800 && start % 31 == 0 }

    mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>) {
      for byte in bytes.prefix(max(0, 2 - Int(count))) { start = start << 8 | UInt16(byte) }
      count += Int64(bytes.count)
      guard frames == nil else {
        frames?.append(bytes)
        return
      }
      for byte in bytes.suffix(4) { word = word >> 8 | UInt32(byte) << 24 }
    }
  }

  private enum Framing {
    case size(Int)
    case fieldOfSize(Int)
    case content(Int)
    case endOfContent
    case over
  }

  private var shown: Tail
  private var content: Tail
  private var framing: Framing
  private let packing: Packing
  private var checksum = Adler32()

  /// Starts with the first byte of a body.
  init(_ packing: Packing, isChunked: Bool) {
    self.packing = packing
    shown = Tail(packing)
    content = shown
    framing = isChunked ? .size(0) : .over
  }

  /// Takes bytes as libcurl shows them.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    shown.append(rest)
    while let byte = rest.first {
      switch framing {
      case .size(let size):
        rest = rest.dropFirst()
        if let digit = Character(Unicode.Scalar(byte)).hexDigitValue {
          framing = .size(size << 4 | digit)
        } else {
          framing = byte == 0x0A ? begin(size) : .fieldOfSize(size)
        }
      case .fieldOfSize(let size):
        rest = rest.dropFirst()
        if byte == 0x0A { framing = begin(size) }
      case .content(let left):
        let part = rest.prefix(left)
        content.append(part)
        rest = rest.dropFirst(part.count)
        framing = part.count == left ? .endOfContent : .content(left - part.count)
      case .endOfContent:
        rest = rest.dropFirst()
        if byte == 0x0A { framing = .size(0) }
      case .over:
        return
      }
    }
  }

  /// Takes bytes that came of the body.
  mutating func unpack(_ bytes: UnsafeRawBufferPointer) {
    if packing == .deflate { checksum.append(bytes) }
  }

  private func begin(_ size: Int) -> Framing { size > 0 ? .content(size) : .over }

  /// Whether the body stops early.
  ///
  /// - Parameters:
  ///   - received: how many bytes it had, as libcurl counts them.
  ///   - unpacked: how many bytes came of them.
  /// - Returns: `false` too where the bytes that were seen are not those that libcurl has counted.
  func stopsEarly(received: Int64, unpacked: Int) -> Bool {
    guard let tail = [shown, content].first(where: { $0.count == received }), received > 0 else {
      return false
    }
    return switch packing {
    case .deflate:
      received < 2 || tail.hasChecksum && (received < 8 || tail.word.byteSwapped != checksum.value)
    // Head, the shortest content and end have 20 bytes.
    case .gzip: received < 20 || tail.word != UInt32(truncatingIfNeeded: unpacked)
    case .zstd: tail.frames?.isWhole == false
    }
  }
}
