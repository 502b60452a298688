extension String {
  /// Runs `body` on the text's bytes as they lie in memory: going through `utf8` takes ten times as long, and every request
  /// has its URL and fields looked at.
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    // A text that came from elsewhere, such as Objective-C, may not lie in one piece.
    utf8.withContiguousStorageIfAvailable(body) ?? Array(utf8).withUnsafeBufferPointer(body)
  }
}

extension Collection<UInt8> {
  /// Whether the bytes begin with `prefix`, an ASCII text in lower case.
  func hasLowercasedPrefix(_ prefix: StaticString) -> Bool {
    // Where it has not, that mostly shows at once.
    guard let first, first | 0x20 == prefix.utf8Start.pointee | 0x20 else { return false }
    return prefix.withUTF8Buffer {
      starts(with: $0) { $1 == ($0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0) }
    }
  }
}
