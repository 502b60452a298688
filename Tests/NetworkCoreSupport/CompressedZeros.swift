import Foundation

/// Compresses zeros as strongly as a coding allows, without a library.
enum CompressedZeros: String, CaseIterable, Sendable {
  case gzip, deflate, zstd

  /// Returns a compressed body of at least `least` zeros, and their number.
  func make(atLeast least: Int) -> (compressed: Data, count: Int) {
    switch self {
    case .gzip:
      let (block, count) = Self.block(least)
      let end = [Self.checksum(count), UInt32(truncatingIfNeeded: count)].flatMap(Self.bytes)
      return (Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]) + block + Data(end), count)
    case .deflate:
      let (block, count) = Self.block(least)
      // For zeros, the first sum of Adler-32 stays 1, and the second counts them.
      let sum = UInt32(count % 65_521) << 16 | 1
      return (Data([0x78, 0x01]) + block + Data(Self.bytes(sum.byteSwapped)), count)
    case .zstd:
      // Blocks of four bytes, each of which repeats a byte 128 Ki times (RFC 8878, section 3.1.1.2).
      let blocks = least >> 17 + 1
      var frame = Data([0x28, 0xB5, 0x2F, 0xFD, 0, 0x58])
      for index in 1...blocks { frame += Self.bytes(1 << 20 | 2 | (index == blocks ? 1 : 0)) }
      return (frame, blocks << 17)
    }
  }

  /// Returns a block with its own codes (RFC 1951, section 3.2.7), in which a copy of 258 bytes takes two
  /// bits.
  private static func block(_ least: Int) -> (bytes: Data, count: Int) {
    let quarters = least / (4 * 258) + 1
    var (bits, fill, bytes): (UInt32, UInt32, Data) = (0, 0, Data())
    func write(_ value: UInt32, _ count: UInt32) {
      bits |= value << fill
      fill += count
      while fill >= 8 {
        bytes.append(UInt8(bits & 0xFF))
        bits >>= 8
        fill -= 8
      }
    }
    // The last block; code lengths for 286 symbols and one distance, and 18 symbols for the code lengths
    // themselves.
    for (value, count) in [(1, 1), (2, 2), (29, 5), (0, 5), (14, 4)] { write(UInt32(value), UInt32(count)) }
    // Symbol 18 (a run of zeros) has one bit; symbols 2 and 1 have two.
    for index in 0..<18 { write([2: 1, 15: 2, 17: 2][index] ?? 0, 3) }
    // The literal 0 and the end (256) have two bits, the copy of 258 bytes (285) and the distance 1 have one.
    write(0b11, 2)
    for zeros: UInt32 in [138, 117] { write((zeros - 11) << 1, 8) }
    write(0b11, 2)
    write((28 - 11) << 1, 8)
    for _ in 0..<2 { write(0b01, 2) }
    // A literal, and then zero bits for all the copies.
    write(0b01, 2)
    bytes.append(UInt8(bits))
    bits = 0
    bytes.append(Data(count: quarters - 1))
    write(0b11, 2)
    write(0, 7)
    return (bytes, 1 + quarters * 4 * 258)
  }

  /// Returns the CRC of zeros (RFC 1952, section 8), by repeatedly squaring the effect of eight zero bits.
  private static func checksum(_ count: Int) -> UInt32 {
    func multiply(_ left: UInt32, _ right: UInt32) -> UInt32 {
      var (product, right): (UInt32, UInt32) = (0, right)
      for bit in (0..<32).reversed() {
        if left >> UInt32(bit) & 1 == 1 { product ^= right }
        right = right & 1 == 1 ? right >> 1 ^ 0xEDB8_8320 : right >> 1
      }
      return product
    }
    var (power, step, left): (UInt32, UInt32, Int) = (1 << 31, 1 << 23, count)
    while left > 0 {
      if left & 1 == 1 { power = multiply(power, step) }
      step = multiply(step, step)
      left >>= 1
    }
    return ~multiply(power, ~0)
  }

  private static func bytes(_ word: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
  }
}
