extension TransportRequest {
  /// Returns the request to send after a redirect (RFC 9110, section 15.4).
  ///
  /// 303 turns any method but HEAD into GET, and 301 and 302 turn POST into GET; all others repeat method and
  /// body. Credentials, also in fields such as `X-Api-Key`, and trace contexts stay with the origin that they
  /// were meant for, and so do conditions about a stored response. Those that a cache has added stay with their URL.
  /// A secure request does not become a plain one.
  ///
  /// `If-Range` is kept together with its `Range`, because a part of another version would damage the file.
  /// The conditions of a method that changes a resource are kept as well: the server could otherwise replace
  /// what they protect. If GET replaces that method, the change has been made, and they are removed. A request to
  /// switch protocols keeps its body, which is what is sent afterwards.
  ///
  /// - Parameters:
  ///   - status: the status of the redirect: 301, 302, 303, 307 or 308.
  ///   - location: the value of the redirect's `Location`, absolute or relative to this request's URL.
  ///   - count: the number of redirects that have led to this request.
  ///   - policy: limits the number of redirects, and says whether one may lead from `https` to `http`. Its
  ///     closure is not called.
  /// - Returns: the next request; its URL has the fragment of this one if `location` has none.
  /// - Throws: `TransferError.tooManyRedirects`, or `.redirectRefused` if the location must not be requested.
  package func redirected(
    status: Int, to location: String, after count: Int = 0, policy: RedirectPolicy = .follow
  ) throws(TransferError) -> TransportRequest {
    guard count < policy.limit else { throw .tooManyRedirects(limit: policy.limit) }
    // The transports apply these rules instead of their libraries' own. libcurl would send, for example, a
    // PUT without its body after a 302: to libcurl the request is a POST with a custom method name, and it
    // turns the POST into a GET but keeps the name. URLSession on Linux sends credentials to any host and
    // drops the body at 307.
    var next = self
    next.url = try target(of: location)
    guard let old = Origin(url: url), let new = Origin(url: next.url) else {
      throw .redirectRefused(url: location, reason: "it is not an http or https URL")
    }
    if new.isUnixSocket && old != new {
      throw .redirectRefused(
        url: location, reason: "a server must not redirect to a Unix domain socket")
    }
    if old.isSecure && !new.isSecure && !policy.allowsDowngrade {
      throw .redirectRefused(url: location, reason: "it leads from https to http")
    }
    let becomesGet =
      switch status {
      case 303: method != .head && !upgradesConnection
      case 301, 302: method == .post
      default: false
      }
    if becomesGet {
      next.method = .get
      next.removeContent()
      if !method.isSafe { next.headers.removeAll(Self.conditions) }
    }
    if hasConditionsOfCache {
      next.headers.removeAll(Self.conditions)
      next.hasConditionsOfCache = false
    }
    if old == new {
      next.url = next.url.withUser(of: url)
    } else {
      next.credential = nil
      next.headers.removeAll(Self.originFields(of: next.method))
    }
    if next.validate() != nil { throw .redirectRefused(url: location, reason: "it is not a valid URL") }
    return next
  }

  /// Returns the absolute URL, in ASCII, to which a `Location` leads.
  ///
  /// The host of a Unix domain socket is `localhost` for its server, so that name leads to the socket again.
  func target(of location: String) throws(TransferError) -> String {
    let reference = URLReference(location.percentEncodingBlanks)
    if reference.hasAmbiguousHost { throw .redirectRefused(url: location, reason: "it is not a valid URL") }
    let socket = UnixSocketURL(url)
    let resolved = reference.resolved(against: URLReference(socket?.url ?? url))
    let target = socket?.resolve(resolved) ?? resolved
    return target.asciiURL ?? target
  }

  /// Removes what only its origin may receive and was copied unchanged from `original`, if the origin differs.
  package func withoutCredentials(of original: TransportRequest) -> TransportRequest {
    guard let old = Origin(url: original.url), let new = Origin(url: url), old != new else { return self }
    var copy = self
    if credential == original.credential { copy.credential = nil }
    for name in Self.originFields(of: method) where headers[name] == original.headers[name] {
      copy.headers.remove(name: name)
    }
    return copy
  }

  /// Removes the body and the fields that describe it.
  mutating func removeContent() {
    body = .none
    headers.removeAll(Self.contentFields)
  }

  /// Fields that describe a body; a GET that replaces the request has none.
  private static let contentFields = [
    "Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Location",
    "Content-Range", "Content-MD5", "Content-Digest", "Repr-Digest", "Digest", "Last-Modified", "Expect",
  ]

  /// Returns the fields that are meant for one origin only.
  private static func originFields(of method: HTTPMethod) -> [String] {
    let fields = Redactor.secretFields + traceFields + ["Host"]
    return method.isSafe ? fields + conditions : fields
  }

  /// Trace contexts: of the W3C, and of B3, Jaeger, Sentry, AWS, Google Cloud and Datadog.
  private static let traceFields = [
    "traceparent", "tracestate", "baggage", "b3", "X-B3-TraceId", "X-B3-SpanId", "X-B3-ParentSpanId",
    "X-B3-Sampled", "X-B3-Flags", "uber-trace-id", "sentry-trace", "X-Amzn-Trace-Id", "X-Cloud-Trace-Context",
    "x-datadog-trace-id", "x-datadog-parent-id", "x-datadog-sampling-priority", "x-datadog-origin",
    "x-datadog-tags",
  ]

  private static let conditions = [
    "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since",
  ]
}

extension HTTPHeaders {
  fileprivate mutating func removeAll(_ names: [String]) {
    for name in names { remove(name: name) }
  }
}

extension String {
  /// Inserts the user and the password of another URL, unless this one has a user.
  fileprivate func withUser(of other: String) -> String {
    guard let old = Origin.authority(of: other)?.bytes, let at = old.lastIndex(of: UInt8(ascii: "@")),
      let new = Origin.authority(of: self)?.bytes, !new.contains(UInt8(ascii: "@"))
    else { return self }
    return self[..<new.startIndex] + String(Substring(old[...at])) + self[new.startIndex...]
  }

  /// Encodes spaces, which servers send in `Location` although a URL has none; every client accepts them.
  fileprivate var percentEncodingBlanks: String {
    contains(" ") ? split(separator: " ", omittingEmptySubsequences: false).joined(separator: "%20") : self
  }
}
