extension String {
  /// The URL by which a cache knows its responses: the same for all URLs that are sent alike (RFC 9110, section
  /// 4.2.3), without the fragment.
  package var cacheKey: String {
    let url = withoutFragment
    guard let start = url.firstRange(of: "://")?.upperBound else { return url }
    let scheme = url[..<start].lowercased()
    let given = url[start...].prefix { !"/?".contains($0) }
    // User and password are no part of the host.
    var authority = given.contains("@") ? String(given) : given.lowercased()
    let defaultPort = scheme == "https://" ? ":443" : ":80"
    if authority.hasSuffix(defaultPort) { authority.removeLast(defaultPort.count) }
    let target = url[given.endIndex...]
    return (scheme + authority + (target.hasPrefix("/") ? "" : "/") + target).withUppercaseEscapesInPath
  }
}
