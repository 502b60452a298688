/// How a body is packed of which it can be told whether it has come to its end.
enum Packing {
  case gzip
  case zstd
}

/// Watches the bytes of a packed body for its end: of gzip the last four, which say how many it unpacks to (RFC 1952,
/// section 2.3.1), of zstd the end of a frame.
///
/// libcurl takes a stream that stops early for a whole one where length or chunks are in order. It shows the bytes as they
/// come; up to 8.6 with what stands around chunks. Which it was, the number of bytes that it has counted says.
struct PackedEnd {
  private struct Tail {
    var count: Int64 = 0
    /// The last four bytes, the last one as the highest.
    var word: UInt32 = 0
    /// What is known of the frames of zstd; `nil` for gzip.
    var frames: ZstdFrames?

    init(_ packing: Packing) {
      frames = packing == .zstd ? ZstdFrames() : nil
    }

    mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>) {
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

  /// Starts with the first byte of a body.
  init(_ packing: Packing, isChunked: Bool) {
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
    if let frames = tail.frames { return !frames.isWhole }
    // Head, the shortest content and end have 20 bytes.
    return received < 20 || tail.word != UInt32(truncatingIfNeeded: unpacked)
  }
}
