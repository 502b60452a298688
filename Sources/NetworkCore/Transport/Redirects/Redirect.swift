extension TransportRequest {
  /// The request that a redirect asks for (RFC 9110, section 15.4).
  ///
  /// 303 asks for a GET, 301 and 302 turn a POST into one, all others repeat method and body. Credentials go no
  /// further than the origin they were meant for, and a secure request does not become a plain one.
  ///
  /// The transports follow redirects by these rules themselves. libcurl would send, say, a PUT without its body
  /// after a 302, since it changes the kind of a request but not a method it does not know; URLSession on Linux
  /// takes credentials to any host and drops the body at 307.
  ///
  /// - Throws: `TransferError.redirectRefused` where the location is not one to go to.
  func redirected(
    status: Int, to location: String, allowsDowngrade: Bool = false
  ) throws(TransferError) -> TransportRequest {
    var next = self
    next.url = location.percentEncodingBlanks
    if let ascii = next.url.asciiURL { next.url = ascii }
    guard let old = Origin(url: url), let new = Origin(url: next.url) else {
      throw .redirectRefused(url: location, reason: "it is not an http or https URL")
    }
    if new.isUnixSocket && old != new {
      throw .redirectRefused(
        url: location, reason: "a Unix domain socket is not asked because a server says so")
    }
    if old.isSecure && !new.isSecure && !allowsDowngrade {
      throw .redirectRefused(url: location, reason: "the request was secure and this is not")
    }
    let becomesGet =
      switch status {
      case 303: method != .head
      case 301, 302: method == .post
      default: false
      }
    if becomesGet {
      next.method = .get
      next.body = .none
      for name in Self.contentFields { next.headers.remove(name: name) }
    }
    if old != new {
      next.credential = nil
      for name in Self.originFields { next.headers.remove(name: name) }
    }
    if next.validate() != nil { throw .redirectRefused(url: location, reason: "it is not a valid URL") }
    return next
  }

  /// The request, which somebody has made of `original`, without what was meant for the origin of that and has been left as it was.
  func withoutCredentials(of original: TransportRequest) -> TransportRequest {
    guard let old = Origin(url: original.url), let new = Origin(url: url), old != new else { return self }
    var copy = self
    if credential == original.credential { copy.credential = nil }
    for name in Self.originFields where headers[name] == original.headers[name] {
      copy.headers.remove(name: name)
    }
    return copy
  }

  /// Fields that describe a body, which a GET in its place does not have.
  private static let contentFields = [
    "Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Location", "Digest",
    "Content-Digest", "Expect",
  ]

  /// Fields that are meant for one origin alone.
  private static let originFields = ["Authorization", "Cookie", "Proxy-Authorization", "Host"]
}

extension String {
  /// Servers send blanks in `Location`, where a URL has none; every client forgives them.
  fileprivate var percentEncodingBlanks: String {
    contains(" ") ? split(separator: " ", omittingEmptySubsequences: false).joined(separator: "%20") : self
  }
}
