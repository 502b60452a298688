/// Where a URL leads: scheme, host and port (RFC 6454), by which it is decided who may see credentials.
struct Origin: Hashable {
  let isSecure: Bool
  /// Whether the host is the path of a Unix domain socket.
  let isUnixSocket: Bool
  let host: String
  let port: String

  /// Reads the origin off an absolute URL; `nil` for a scheme other than `http`, `https` and `http+unix`.
  ///
  /// Made of string operations alone: a transport asks for every request, and `Foundation.URL` is slow and would
  /// refuse or rewrite some of what servers send as `Location`.
  init?(url: String) {
    guard let (isSecure, whole) = Self.authority(of: url) else { return nil }
    var authority = whole
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
      authority = authority[authority.index(after: at)...]
    }
    let bracket = authority.lastIndex(of: UInt8(ascii: "]"))
    let colon = authority[(bracket ?? authority.startIndex)...].lastIndex(of: UInt8(ascii: ":"))
    let explicit = colon.map { authority[authority.index(after: $0)...] }
    self.isSecure = isSecure
    let name = String(Substring(authority[..<(colon ?? authority.endIndex)]))
    // A path is not a name: its letters are what they are.
    isUnixSocket = UnixSocketURL.isOne(url)
    host = isUnixSocket ? name : name.lowercased()
    port = explicit.flatMap { $0.isEmpty ? nil : String(Substring($0)) } ?? (isSecure ? "443" : "80")
  }

  /// Whether a URL leads to this machine itself, as far as its text tells.
  static func isLoopback(_ url: String) -> Bool {
    guard let (_, authority) = authority(of: url) else { return false }
    return ["127.", "localhost", "[::1]"].contains { Substring(authority).utf8.starts(with: $0.utf8) }
  }

  /// The part of a URL between the scheme and the path, as it stands; `nil` for another scheme.
  static func authority(of url: String) -> (isSecure: Bool, bytes: Substring.UTF8View)? {
    let bytes = url.utf8
    let isSecure = bytes.hasLowercasedPrefix("https://")
    let isUnixSocket = !isSecure && UnixSocketURL.isOne(url)
    guard isSecure || isUnixSocket || bytes.hasLowercasedPrefix("http://") else { return nil }
    let authority = bytes.dropFirst(isSecure ? 8 : isUnixSocket ? 12 : 7).prefix {
      $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
    }
    return (isSecure, authority)
  }
}

extension String.UTF8View {
  /// Whether the view begins with `prefix`, an ASCII text in lower case.
  func hasLowercasedPrefix(_ prefix: StaticString) -> Bool {
    var index = startIndex
    return prefix.withUTF8Buffer { expected in
      for byte in expected {
        guard index != endIndex else { return false }
        let actual = self[index]
        let isUpper = actual >= UInt8(ascii: "A") && actual <= UInt8(ascii: "Z")
        guard (isUpper ? actual | 0x20 : actual) == byte else { return false }
        index = self.index(after: index)
      }
      return true
    }
  }
}
