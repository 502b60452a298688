package import struct Foundation.URL

/// The origin of a URL: scheme, host and port (RFC 6454), which decide which servers may receive credentials.
package struct Origin: Hashable {
  package let isSecure: Bool
  /// Whether the host is the path of a Unix domain socket.
  package let isUnixSocket: Bool
  package let host: String
  package let port: String

  /// Reads the origin of an absolute URL; `nil` for a scheme other than `http`, `https` and `http+unix`.
  ///
  /// Uses only string operations: a transport does this for every request, and `Foundation.URL` is slow and
  /// refuses or rewrites some of the values that servers send as `Location`.
  package init?(url: String) {
    guard let (isSecure, whole) = Self.authority(of: url) else { return nil }
    var authority = whole
    self.isSecure = isSecure
    isUnixSocket = UnixSocketURL.matches(url)
    if isUnixSocket, authority.first == UInt8(ascii: "%") {
      // A path, which begins with an escaped slash, has neither a user nor a port, and its case matters.
      (host, port) = (String(Substring(authority)), "80")
      return
    }
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
      authority = authority[authority.index(after: at)...]
    }
    let bracket = authority.lastIndex(of: UInt8(ascii: "]"))
    let colon = authority[(bracket ?? authority.startIndex)...].lastIndex(of: UInt8(ascii: ":"))
    let explicit = colon.map { authority[authority.index(after: $0)...] }
    host = String(Substring(authority[..<(colon ?? authority.endIndex)])).lowercased()
    port = explicit.flatMap { $0.isEmpty ? nil : String(Substring($0)) } ?? (isSecure ? "443" : "80")
  }

  /// Returns the origin of a URL in the spelling of RFC 6454, section 6.2, with the port if it is not the
  /// scheme's default.
  ///
  /// It contains no credentials, so it may be shown. For a scheme that transports do not support, it is the
  /// part before the path.
  package static func text(of url: URL) -> String {
    let text = url.absoluteString
    guard let origin = Origin(url: text) else {
      let port = url.port.map { ":\($0)" } ?? ""
      return "\(url.scheme?.lowercased() ?? "")://\(url.host?.lowercased() ?? "")\(port)"
    }
    return origin.text
  }

  /// The origin in the spelling of `text(of:)`.
  package var text: String {
    if isUnixSocket { return "http+unix://\(host)" }
    let isUsual = port == (isSecure ? "443" : "80")
    return "\(isSecure ? "https" : "http")://\(host)\(isUsual ? "" : ":\(port)")"
  }

  /// Whether a URL leads to this machine itself, judged by its text only.
  ///
  /// The whole host counts: `localhost.example.com` and `localhost@example.com` are not this machine.
  package static func isLoopback(_ url: String) -> Bool {
    url.withBytes { bytes in
      guard let (_, range) = authority(of: bytes) else { return false }
      var host = bytes[range]
      if let at = host.lastIndex(of: UInt8(ascii: "@")) { host = host[(at + 1)...] }
      if host.hasLowercasedPrefix("[::1]") { return true }
      host = host.prefix { $0 != UInt8(ascii: ":") }
      if host.hasLowercasedPrefix("127.") {
        // libcurl may ask the DNS for other digits, such as 127.0.0.08 and, in some versions, 127.0.0.1.
        // with a dot behind it.
        return HostTable<Never>.normalizedAddress(String(decoding: host, as: UTF8.self)) != nil
      }
      if host.last == UInt8(ascii: ".") { host = host.dropLast() }
      return host.count == 9 && host.hasLowercasedPrefix("localhost")
    }
  }

  /// Returns the part of a URL between the scheme and the path, unchanged; `nil` for another scheme.
  package static func authority(of url: String) -> (isSecure: Bool, bytes: Substring.UTF8View)? {
    guard let (isSecure, range) = url.withBytes({ authority(of: $0) }) else { return nil }
    return (isSecure, url.utf8.dropFirst(range.lowerBound).prefix(range.count))
  }

  /// Returns the range of the authority in the bytes of a URL; `nil` for another scheme.
  package static func authority(of url: UnsafeBufferPointer<UInt8>) -> (isSecure: Bool, range: Range<Int>)? {
    let isSecure = url.hasLowercasedPrefix("https://")
    let start: Int
    if isSecure {
      start = 8
    } else if url.hasLowercasedPrefix("http://") {
      start = 7
    } else if url.hasLowercasedPrefix("http+unix://") {
      start = 12
    } else {
      return nil
    }
    let end = url[start...].firstIndex {
      $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
    }
    return (isSecure, start..<(end ?? url.count))
  }
}
