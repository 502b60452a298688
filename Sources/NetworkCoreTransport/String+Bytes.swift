extension String {
  /// The URL without its fragment, which is not sent.
  package var withoutFragment: String {
    guard let index = withBytes({ $0.firstIndex(of: UInt8(ascii: "#")) }) else { return self }
    return String(Substring(utf8.prefix(index)))
  }

  /// The URL with uppercase percent-encodings in its path: `%2F` for `%2f`.
  ///
  /// libcurl (8.21 and newer) sends a path in this form, which RFC 3986 (section 6.2.2.1) makes the normal one;
  /// this does it for all versions. A query is unchanged, because it may be signed.
  package var withUppercaseEscapesInPath: String {
    guard withBytes({ $0.contains(UInt8(ascii: "%")) }) else { return self }
    var bytes = Array(utf8)
    let authority = bytes.drop { $0 != UInt8(ascii: ":") }.dropFirst(3)
    let path = authority.prefix { $0 != UInt8(ascii: "?") }.drop { $0 != UInt8(ascii: "/") }
    bytes.uppercaseEscapes(in: path.indices)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Runs `body` on the string's bytes in memory.
  ///
  /// Iterating over `utf8` takes ten times as long, and the URL and fields of every request are inspected.
  @inlinable package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    // A string that was bridged, for example from Objective-C, may not be contiguous.
    utf8.withContiguousStorageIfAvailable(body) ?? Array(utf8).withUnsafeBufferPointer(body)
  }
}

extension [UInt8] {
  /// The path of a URL, which begins with a slash, without dot segments.
  ///
  /// libcurl removes such segments before it sends the path (RFC 3986, section 5.2.4).
  package var withoutDotSegments: [UInt8] {
    let (dot, slash) = ([UInt8(ascii: ".")], UInt8(ascii: "/"))
    // Few paths have a segment that begins with a dot.
    guard indices.dropLast().contains(where: { self[$0] == slash && self[$0 + 1] == dot[0] }) else {
      return self
    }
    let segments = dropFirst().split(separator: slash, omittingEmptySubsequences: false)
    guard segments.contains(where: { $0.elementsEqual(dot) || $0.elementsEqual(dot + dot) }) else {
      return self
    }
    var kept: [ArraySlice<UInt8>] = []
    for (index, segment) in segments.enumerated() {
      let isDot = segment.elementsEqual(dot)
      let isDoubleDot = segment.elementsEqual(dot + dot)
      if isDoubleDot { _ = kept.popLast() }
      if !isDot, !isDoubleDot { kept.append(segment) } else if index == segments.count - 1 { kept.append([]) }
    }
    return [slash] + kept.joined(separator: [slash])
  }

  /// Makes the percent-encodings in a range uppercase.
  package mutating func uppercaseEscapes(in range: Range<Int>) {
    for index in range.dropLast(2)
    where self[index] == UInt8(ascii: "%") && self[index + 1].isHexDigit && self[index + 2].isHexDigit {
      for place in index + 1...index + 2 where self[place] >= UInt8(ascii: "a") { self[place] -= 0x20 }
    }
  }
}

extension RandomAccessCollection<UInt8> where Index == Int {
  /// Whether the bytes begin with `prefix`, an ASCII string in lower case, compared case-insensitively.
  ///
  /// Inlined because it runs several times for every line of every head, and a mismatch usually shows at the
  /// first byte.
  @inlinable @inline(__always) package func hasLowercasedPrefix(_ prefix: StaticString) -> Bool {
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

extension BidirectionalCollection<UInt8> {
  /// Without spaces, tabs and line ends at both ends.
  @inlinable package var trimmed: SubSequence {
    let start = drop(while: \.isBlank)
    guard let last = start.lastIndex(where: { !$0.isBlank }) else { return start }
    return start[...last]
  }
}

extension UInt8 {
  @usableFromInline var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0D || self == 0x0A }

  fileprivate var isHexDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
