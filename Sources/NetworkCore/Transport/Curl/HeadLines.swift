/// Gathers the lines of a response head until it is the one that counts.
///
/// libcurl hands over every line that looks like a head's: of informational answers before it, and of trailers
/// after the body. A status line starts afresh; once a final head is closed, nothing can open it again.
struct HeadLines {
  private var bytes: [UInt8] = []
  private var hasLocation = false
  /// The status code, once the head is closed.
  private(set) var status = 0
  /// Whether the final head has arrived whole.
  private(set) var isClosed = false
  /// Whether libcurl may answer the head, a 401, with another request, so that another head follows.
  var isProvisional = false
  /// Whether the head asks for another request.
  private(set) var isRedirect = false

  /// Takes a line with its end; returns `true` at the empty one that ends a head.
  mutating func append(_ line: UnsafeRawBufferPointer) -> Bool {
    guard !isClosed || isProvisional else { return false }
    if line.hasLowercasedPrefix("http/") {
      (isClosed, isProvisional) = (false, false)
      bytes.removeAll(keepingCapacity: true)
      hasLocation = false
      return false
    }
    // Trailers of an answer that was closed.
    guard !isClosed else { return false }
    if line.first == 0x0D || line.first == 0x0A { return true }
    if line.hasLowercasedPrefix("location:") { hasLocation = true }
    if bytes.isEmpty { bytes.reserveCapacity(512) }
    bytes.append(contentsOf: line)
    return false
  }

  /// Closes the head; returns `false` for an informational one, after which another follows.
  mutating func close(status: Int, followsRedirects: Bool) -> Bool {
    // 101 is the last of its exchange although it begins with a 1 (RFC 9110, section 15.2.2).
    guard status >= 200 || status == 101 else { return false }
    self.status = status
    isClosed = true
    switch status {
    case 301, 302, 303, 307, 308: isRedirect = hasLocation && followsRedirects
    default: break
    }
    return true
  }

  /// The lines, which are given away.
  mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes begin with `prefix`, an ASCII text in lower case.
  fileprivate func hasLowercasedPrefix(_ prefix: StaticString) -> Bool {
    let length = prefix.utf8CodeUnitCount
    guard count >= length else { return false }
    return prefix.withUTF8Buffer { expected in
      for index in 0..<length {
        let byte = self[index]
        let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
        if (isUpper ? byte | 0x20 : byte) != expected[index] { return false }
      }
      return true
    }
  }
}
