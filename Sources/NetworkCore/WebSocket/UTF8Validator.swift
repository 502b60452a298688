/// Checks text that arrives in pieces for valid UTF-8 (RFC 3629).
struct UTF8Validator {
  /// The number of bytes that the current character still needs, and the range of the next of them.
  private var missing = 0
  private var range: ClosedRange<UInt8> = 0x80...0xBF

  /// Whether the text may end here.
  var isComplete: Bool { missing == 0 }

  /// Checks further bytes; returns `false` if the text is not valid with them.
  mutating func check(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < bytes.count {
      if missing == 0 {
        // Eight characters of ASCII at a time.
        while index + 8 <= bytes.count,
          bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        { index += 8 }
        guard index < bytes.count else { break }
        guard begin(bytes[index]) else { return false }
      } else {
        guard range.contains(bytes[index]) else { return false }
        (missing, range) = (missing - 1, 0x80...0xBF)
      }
      index += 1
    }
    return true
  }

  /// Begins a character; returns `false` if none begins with the byte.
  private mutating func begin(_ byte: UInt8) -> Bool {
    switch byte {
    case 0..<0x80: break
    case 0xC2...0xDF: (missing, range) = (1, 0x80...0xBF)
    case 0xE0: (missing, range) = (2, 0xA0...0xBF)
    case 0xED: (missing, range) = (2, 0x80...0x9F)
    case 0xE1...0xEF: (missing, range) = (2, 0x80...0xBF)
    case 0xF0: (missing, range) = (3, 0x90...0xBF)
    case 0xF1...0xF3: (missing, range) = (3, 0x80...0xBF)
    case 0xF4: (missing, range) = (3, 0x80...0x8F)
    default: return false
    }
    return true
  }
}
