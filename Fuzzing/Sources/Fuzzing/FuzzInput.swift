/// The bytes of one input, from which a target takes its choices and its text.
///
/// Choices come first, so that a corpus can be written by hand: a digit, and then the text.
struct FuzzInput {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// The remaining bytes.
  var bytes: [UInt8] { Array(rest) }

  /// The remaining bytes as text; invalid UTF-8 is replaced.
  var text: String { String(decoding: rest, as: UTF8.self) }

  /// Takes a byte; 0 at the end.
  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// Takes the bytes up to the next line feed.
  mutating func lineBytes() -> [UInt8] {
    let line = rest.prefix { $0 != 0x0A }
    rest = rest[line.endIndex...].dropFirst()
    return Array(line)
  }

  /// Takes the text up to the next line feed.
  mutating func line() -> String { String(decoding: lineBytes(), as: UTF8.self) }

  /// Takes all lines.
  mutating func lines() -> [String] {
    var lines: [String] = []
    while !rest.isEmpty { lines.append(line()) }
    return lines
  }
}

/// Splits bytes into pieces whose lengths depend on a seed; 0 makes pieces of one byte.
///
/// Some pieces are empty.
func pieces(of bytes: [UInt8], seed: UInt8) -> [ArraySlice<UInt8>] {
  var state = UInt32(seed)
  var pieces: [ArraySlice<UInt8>] = []
  var rest = bytes[...]
  while !rest.isEmpty {
    state = state &* 1_664_525 &+ UInt32(seed)
    let piece = rest.prefix(seed == 0 ? 1 : Int(state >> 24) % (Int(seed & 31) + 2))
    pieces.append(piece)
    rest = rest[piece.endIndex...]
    // A seed that yields only empty pieces would not end.
    if piece.isEmpty, let byte = rest.popFirst() { pieces.append([byte]) }
  }
  return pieces
}
