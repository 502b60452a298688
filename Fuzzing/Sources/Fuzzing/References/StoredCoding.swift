/// Bodies in the formats of the content codings, whose blocks are stored and not compressed.
enum StoredCoding {
  /// Returns a body; its message has less than 60 KiB.
  static func encoded(_ message: [UInt8], _ coding: some StringProtocol) -> [UInt8] {
    let count = message.count
    switch coding {
    case "gzip":
      // RFC 1952: no flags, no time, an unknown system.
      return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255] + block(message) + little(crc32(message), 4)
        + little(count, 4)
    case "deflate":
      // RFC 1950.
      return [0x78, 0x01] + block(message) + little(adler32(message), 4).reversed()
    case "br":
      // RFC 7932, section 9: a window of 16 bits; an uncompressed block, and an empty last one.
      return message.isEmpty ? [0x06] : little((count - 1) << 4 | 1 << 20, 3) + message + [0x03]
    default:
      // RFC 8878: a single segment with the size of its content, in one raw block.
      let size = count < 256 ? [0x20, UInt8(count)] : [0x60] + little(count - 256, 2)
      return [0x28, 0xB5, 0x2F, 0xFD] + size + little(count << 3 | 1, 3) + message
    }
  }

  /// The last block of a deflated text, stored (RFC 1951, section 3.2.4).
  private static func block(_ message: [UInt8]) -> [UInt8] {
    [1] + little(message.count, 2) + little(~message.count, 2) + message
  }

  private static func little(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func crc32(_ message: [UInt8]) -> Int {
    var crc: UInt32 = .max
    for byte in message {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return Int(~crc)
  }

  private static func adler32(_ message: [UInt8]) -> Int {
    var (low, high) = (1, 0)
    for byte in message {
      low = (low + Int(byte)) % 65_521
      high = (high + low) % 65_521
    }
    return high << 16 | low
  }
}
