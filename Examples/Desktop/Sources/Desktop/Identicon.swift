import Foundation

/// A picture of a name: a symmetric pattern of squares.
struct Identicon {
  private static let squares = 5
  private static let squareSize = 8
  private let hash: UInt64

  init(_ name: String) {
    hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }

  /// The picture as a PNG file of two colours, whose data are stored without compression.
  var png: Data {
    let size = (Self.squares + 1) * Self.squareSize
    var raw: [UInt8] = []
    for y in 0..<size {
      raw.append(0)  // The row is not filtered.
      for x in 0..<size { raw.append(isFilled(x, y) ? 1 : 0) }
    }
    let length = UInt16(raw.count)
    // One stored block of DEFLATE, between zlib's head and checksum.
    var stored: [UInt8] = [0x78, 0x01, 0x01]
    for part in [length.littleEndian.bytes, (~length).littleEndian.bytes, raw, adler32(raw).bigEndian.bytes] {
      stored += part
    }
    let side = UInt32(size).bigEndian.bytes
    // Eight bits a pixel, which index the palette.
    let head = side + side + [8, 3, 0, 0, 0]
    let background: [UInt8] = [0xEC, 0xEC, 0xF0]
    let foreground = [16, 32, 48].map { shift -> UInt8 in UInt8(60 + (hash >> UInt64(shift)) % 140) }
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    for (name, content) in [
      ("IHDR", head), ("PLTE", background + foreground), ("IDAT", stored), ("IEND", []),
    ] {
      file += chunk(name, content)
    }
    return Data(file)
  }

  private func isFilled(_ x: Int, _ y: Int) -> Bool {
    let margin = Self.squareSize / 2
    let (column, row) = ((x - margin) / Self.squareSize, (y - margin) / Self.squareSize)
    guard x >= margin, y >= margin, column < Self.squares, row < Self.squares else { return false }
    return hash >> UInt64(min(column, Self.squares - 1 - column) * Self.squares + row) & 1 == 1
  }

  private func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let named = Array(name.utf8) + content
    return UInt32(content.count).bigEndian.bytes + named + crc32(named).bigEndian.bytes
  }
}

extension FixedWidthInteger {
  fileprivate var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }
}

private func adler32(_ bytes: some Sequence<UInt8>) -> UInt32 {
  let (a, b) = bytes.reduce((UInt32(1), UInt32(0))) { sums, byte in
    let a = (sums.0 + UInt32(byte)) % 65_521
    return (a, (sums.1 + a) % 65_521)
  }
  return b << 16 | a
}

private func crc32(_ bytes: [UInt8]) -> UInt32 {
  ~bytes.reduce(UInt32.max) { crc, byte in
    (0..<8).reduce(crc ^ UInt32(byte)) { rest, _ in rest >> 1 ^ (rest & 1 == 1 ? 0xEDB8_8320 : 0) }
  }
}
