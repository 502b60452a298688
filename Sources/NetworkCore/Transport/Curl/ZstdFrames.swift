/// Walks along the frames of a zstd body from one size to the next, to tell whether the last one is whole (RFC 8878, section 3.1).
struct ZstdFrames {
  private enum Field: Int {
    case descriptor = 1
    case block = 3
    case magic = 4
    case skippableSize = 5

    /// How many bytes it has.
    var width: Int { min(rawValue, 4) }
  }

  /// The next field that says how things go on, and what has come of it.
  private var field = Field.magic
  private var value: UInt32 = 0
  private var count = 0
  /// How many bytes come before it.
  private var left = 0
  private var hasChecksum = false
  /// Whether what has come is none of what is known here.
  private var isOdd = false

  /// Whether nothing is missing, as far as can be told.
  var isWhole: Bool { isOdd || field == .magic && count == 0 && left == 0 }

  /// Takes bytes as they come.
  mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>) {
    var rest = bytes
    while let byte = rest.first, !isOdd {
      if left > 0 {
        let part = min(left, rest.count)
        left -= part
        rest = rest.dropFirst(part)
        continue
      }
      value |= UInt32(byte) << UInt32(8 * count)
      count += 1
      rest = rest.dropFirst()
      guard count == field.width else { continue }
      let whole = value
      (value, count) = (0, 0)
      take(whole)
    }
  }

  private mutating func take(_ value: UInt32) {
    switch field {
    case .magic where value == 0xFD2F_B528: field = .descriptor
    case .magic where value & 0xFFFF_FFF0 == 0x184D_2A50: field = .skippableSize
    case .magic: isOdd = true
    case .skippableSize: (field, left) = (.magic, Int(value))
    case .descriptor:
      hasChecksum = value & 4 != 0
      let isSingleSegment = value & 0x20 != 0
      // The window, the dictionary's number, the length of the content.
      left = (isSingleSegment ? 0 : 1) + [0, 1, 2, 4][Int(value & 3)]
      left += [isSingleSegment ? 1 : 0, 2, 4, 8][Int(value >> 6)]
      field = .block
    case .block:
      let (kind, size) = (value >> 1 & 3, Int(value >> 3))
      // One byte stands for many in a block of the kind 1; 3 is none.
      left = kind == 1 ? 1 : size
      isOdd = kind == 3
      guard value & 1 != 0 else { return }
      left += hasChecksum ? 4 : 0
      field = .magic
    }
  }
}
