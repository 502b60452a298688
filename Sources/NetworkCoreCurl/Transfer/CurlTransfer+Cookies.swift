// The cookies that the head of a response sets.
extension CurlTransfer {
  /// Keeps the cookie of the preceding line, unless this line continues it (RFC 9112, section 5.2).
  ///
  /// Without the continuation, an attribute such as `Secure` would be lost. So a line after which the head breaks off
  /// sets no cookie.
  func keepCookie(before line: UnsafeRawBufferPointer) {
    if line.first == 0x20 || line.first == 0x09 {
      reception.cookieLine?.append(0x20)
      reception.cookieLine?.append(contentsOf: line.trimmed)
      return
    }
    if let cookie = reception.cookieLine.take() { loop.profiles.keepCookie(cookie, of: request) }
    if line.hasLowercasedPrefix("set-cookie:") { reception.cookieLine = Array(line.trimmed) }
  }
}
