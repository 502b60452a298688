/// Sees to it that the first field of an answer is not a continued line: see `CurlLibrary.mistakesFirstLine`.
///
/// libcurl shows a line of a head as if it were the body's (`CURLOPT_HEADER`) before it takes it, and to the callback for
/// heads after that. So the lines up to the first field are looked at in the first place, and what follows only in the other.
struct HeadGuard {
  private var isWithinLine = false

  /// Whether libcurl may take bytes of a head; a long line comes in several pieces.
  mutating func admits(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let first = bytes.first else { return true }
    if !isWithinLine, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") { return false }
    isWithinLine = bytes.last != UInt8(ascii: "\n")
    return true
  }

  /// Whether a line of a head is neither its first nor its last.
  static func isField(_ line: UnsafeRawBufferPointer) -> Bool {
    line.first != 0x0D && line.first != 0x0A && !line.hasLowercasedPrefix("http/")
  }
}
