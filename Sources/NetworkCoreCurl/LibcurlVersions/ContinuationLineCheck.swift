/// Ensures that the first field of a response is not a continuation line; see
/// `LibcurlDefects.mishandlesFirstContinuation`.
///
/// libcurl passes a head line to the body callback (`CURLOPT_HEADER`) before it processes the line, and to
/// the head callback only afterwards. So the lines up to the first field are checked in the body callback,
/// and later ones only in the head callback.
struct ContinuationLineCheck {
  private var isWithinLine = false

  /// Checks bytes of a head; returns `true` if libcurl may process them.
  ///
  /// A long line arrives in several pieces.
  mutating func check(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let first = bytes.first else { return true }
    if !isWithinLine, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") { return false }
    isWithinLine = bytes.last != UInt8(ascii: "\n")
    return true
  }

  /// Whether a line of a head is a field, and neither a status line nor the empty last line.
  static func isField(_ line: UnsafeRawBufferPointer) -> Bool {
    line.first != 0x0D && line.first != 0x0A && !line.hasLowercasedPrefix("http/")
  }
}
