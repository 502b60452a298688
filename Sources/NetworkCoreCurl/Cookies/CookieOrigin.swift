internal import NetworkCoreTransport

/// The sender of a request's cookies and the receiver of its response's, as the URL names them.
struct CookieOrigin {
  /// The host in the normalized spelling of the tables; for a Unix domain socket, its path.
  let host: String
  /// Whether the host is an address or a Unix domain socket, which has no domain.
  let isAddress: Bool
  /// The path of the URL as it is sent: without dot segments, and with uppercase percent-encodings.
  let path: [UInt8]
  /// Whether it may set and get secure cookies: over TLS, or on this machine.
  let isSecure: Bool

  /// Returns `nil` for a URL that transports do not support.
  init?(url: String) {
    let url = url.withUppercaseEscapesInPath
    guard let origin = Origin(url: url), let (_, authority) = Origin.authority(of: url) else { return nil }
    isSecure = origin.isSecure || origin.isUnixSocket || Origin.isLoopback(url)
    host = origin.isUnixSocket ? origin.host : HostTable<Never>.normalized(origin.host)
    isAddress = origin.isUnixSocket || HostTable<Never>.isAddress(host)
    let path = url.utf8[authority.endIndex...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    self.path = path.isEmpty ? [.slash] : Array(path).withoutDotSegments
  }

  /// The domains whose cookies the host gets: its own name and those above it.
  var domains: [Substring] {
    var domains = [host[...]]
    if isAddress { return domains }
    while let rest = domains.last, let dot = rest.firstIndex(of: ".") {
      domains.append(rest[rest.index(after: dot)...])
    }
    return domains
  }

  /// The path of cookies that name none (RFC 6265, section 5.1.4).
  var defaultPath: [UInt8] {
    let folder = path[..<(path.lastIndex(of: .slash) ?? 0)]
    return folder.isEmpty ? [.slash] : Array(folder)
  }
}

extension UInt8 {
  static var slash: UInt8 { UInt8(ascii: "/") }
}
