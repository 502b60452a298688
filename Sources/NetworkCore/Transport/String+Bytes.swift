extension String {
  /// A URL as it is asked.
  var withoutFragment: String {
    guard let index = withBytes({ $0.firstIndex(of: UInt8(ascii: "#")) }) else { return self }
    return String(Substring(utf8.prefix(index)))
  }

  /// Runs `body` on the text's bytes as they lie in memory: going through `utf8` takes ten times as long, and every request
  /// has its URL and fields looked at.
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    // A text that came from elsewhere, such as Objective-C, may not lie in one piece.
    utf8.withContiguousStorageIfAvailable(body) ?? Array(utf8).withUnsafeBufferPointer(body)
  }
}

extension RandomAccessCollection<UInt8> where Index == Int {
  /// Whether the bytes begin with `prefix`, an ASCII text in lower case.
  ///
  /// Every line of every head is asked several times: inlined, since where they do not, that mostly shows at once.
  @inline(__always) func hasLowercasedPrefix(_ prefix: StaticString) -> Bool {
    guard count >= prefix.utf8CodeUnitCount else { return false }
    var index = startIndex
    for expected in UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount) {
      let byte = self[index]
      guard expected == (byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte) else { return false }
      index += 1
    }
    return true
  }
}
