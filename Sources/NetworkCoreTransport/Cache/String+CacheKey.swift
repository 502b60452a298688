extension String {
  /// The URL by which a cache knows its responses.
  ///
  /// It is the same for URLs whose scheme, host and default port are written differently, that have no path or `/`,
  /// or that differ in the case of escapes (RFC 9110, section 4.2.3) or in dot segments, which libcurl does not send.
  /// It has no fragment.
  package var cacheKey: String {
    let url = withoutFragment
    // The host of a socket is a path, whose case matters.
    guard !UnixSocketURL.matches(url), let start = url.firstRange(of: "://")?.upperBound else { return url }
    let scheme = url[..<start].lowercased()
    let authority = url[start...].prefix { !"/?".contains($0) }
    let hostStart = authority.lastIndex(of: "@") ?? authority.startIndex
    var host = authority[hostStart...].lowercased()
    for port in [scheme == "https://" ? ":443" : ":80", ":"] where host.hasSuffix(port) {
      host.removeLast(port.count)
    }
    let target = url[authority.endIndex...].utf8
    let bytes = target.prefix { $0 != UInt8(ascii: "?") }
    let query = Substring(target.dropFirst(bytes.count))
    let path = bytes.isEmpty ? "/" : String(decoding: Array(bytes).withoutDotSegments, as: UTF8.self)
    return "\(scheme)\(authority[..<hostStart])\(host)\(path)\(query)".withUppercaseEscapesInPath
  }

  /// The URL without user and password; a change concerns the resource for all users.
  var withoutUserInfo: String {
    guard let (_, authority) = Origin.authority(of: self), let at = authority.lastIndex(of: UInt8(ascii: "@"))
    else { return self }
    return "\(Substring(utf8[..<authority.startIndex]))\(Substring(utf8[utf8.index(after: at)...]))"
  }
}
