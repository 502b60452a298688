/// The value of a `Content-Range` in bytes (RFC 9110, section 14.4).
struct ContentRange: Hashable {
  /// The bytes in the response; `nil` if it has none (`bytes */1234`).
  let range: Range<Int64>?
  /// The size of the whole content in bytes; `nil` if the server does not know it.
  let total: Int64?

  /// Whether the response has the whole content.
  var isWhole: Bool { range?.lowerBound == 0 && range?.upperBound == total }

  /// Reads a value; `nil` if it is malformed.
  init?(_ value: String) {
    let words = value.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    if halves[1] == "*" {
      total = nil
    } else {
      guard let count = Self.number(halves[1]) else { return nil }
      total = count
    }
    if halves[0] == "*" {
      guard total != nil else { return nil }
      range = nil
      return
    }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
      last < total ?? .max
    else { return nil }
    range = first..<(last + 1)
  }

  private static func number(_ text: Substring) -> Int64? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(text) : nil
  }
}
