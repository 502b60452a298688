internal import Foundation

extension String {
  /// The same URL in ASCII only: the host's name as DNS knows it (IDNA, RFC 5891), and everything else
  /// percent-encoded (RFC 3987, section 3.1).
  ///
  /// Foundation converts the name, so that a URL given as text leads to the same host as a `URL`. libcurl
  /// could convert it too, but only if it was built with a library for it, and only in the encoding of the
  /// process's locale.
  ///
  /// - Returns: `nil` if the URL is already in ASCII, is neither `http` nor `https`, or has a host that
  ///   cannot be converted.
  var asciiURL: String? {
    guard !utf8.allSatisfy({ $0 < 0x80 }), !UnixSocketURL.matches(self),
      let (_, authority) = Origin.authority(of: self)
    else { return nil }
    let at = authority.lastIndex(of: UInt8(ascii: "@")).map { authority.index(after: $0) }
    let host = Substring(authority[(at ?? authority.startIndex)...])
    guard let name = host.asciiHost else { return nil }
    return self[..<host.startIndex].percentEncodingNonASCII + name
      + self[host.endIndex...].percentEncodingNonASCII
  }
}

extension Substring {
  /// The host in ASCII, with its port if it has one.
  var asciiHost: String? {
    if utf8.allSatisfy({ $0 < 0x80 }) { return String(self) }
    guard let whole = URL(string: "http://\(self)/")?.absoluteString, whole.hasPrefix("http://"),
      whole.hasSuffix("/")
    else { return nil }
    let name = whole.dropFirst(7).dropLast()
    // Some letters are converted to characters that end a host.
    let isName = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    let colons = { (text: Substring) in text.utf8.count { $0 == UInt8(ascii: ":") } }
    return isName && colons(name) == colons(self) ? String(name) : nil
  }

  fileprivate var percentEncodingNonASCII: String { String(percentEncodingNonASCII: utf8) }
}

extension String {
  /// Creates a text of bytes, of which those that are not ASCII are percent-encoded.
  package init(percentEncodingNonASCII bytes: some Sequence<UInt8>) {
    self = bytes.reduce(into: "") { text, byte in
      if byte < 0x80 {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += percentEncoded(byte)
      }
    }
  }
}

/// Returns a byte as a percent sign and two hexadecimal digits.
package func percentEncoded(_ byte: UInt8) -> String {
  (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
}
