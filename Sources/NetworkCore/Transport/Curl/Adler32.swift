/// The checksum of a zlib stream (RFC 1950, section 9).
struct Adler32 {
  private var low: UInt32 = 1
  private var high: UInt32 = 0

  var value: UInt32 { high << 16 | low }

  /// Takes bytes as they come.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    var start = 0
    while start < bytes.count {
      // As many as the sums have room for.
      let end = min(start + 5_552, bytes.count)
      for byte in bytes[start..<end] {
        low &+= UInt32(byte)
        high &+= low
      }
      low %= 65_521
      high %= 65_521
      start = end
    }
  }
}
