package import typealias Foundation.TimeInterval

/// What a cache does about a request (RFC 9111, section 4).
package enum CachePlan: Sendable {
  /// Nothing: the server is asked, and its answer not stored.
  case pass
  /// The stored answer is given.
  case use(StoredAnswer)
  /// The server is asked; where there is a stored answer, whether it still holds.
  case ask(TransportRequest, about: StoredAnswer?)
  /// The request ends with `TransferError.notStored`.
  case fail

  /// Decides.
  ///
  /// - Parameters:
  ///   - request: what is asked.
  ///   - stored: the answers that there are for its URL.
  ///   - now: seconds since 1970.
  ///   - additions: what the request gets below the cache.
  package init(
    _ request: TransportRequest, stored: [StoredAnswer], now: TimeInterval,
    additions: RequestAdditions = RequestAdditions()
  ) {
    let directives = CacheControl(request.headers)
    guard Self.isCacheable(request), !additions.credential, !directives.noStore else {
      self = request.cachePolicy == .storedOnly ? .fail : .pass
      return
    }
    let answer = stored.filter {
      $0.matches(request.headers) && !(additions.cookies && $0.dependsOnCookies)
    }
    .max { $0.facts.responseTime < $1.facts.responseTime }
    switch request.cachePolicy {
    case .storedOnly: self = answer.map { .use($0) } ?? .fail
    case .storedElseLoad where answer != nil: self = answer.map { .use($0) } ?? .fail
    case .storedElseLoad, .reload: self = .ask(request, about: nil)
    case .reloadEverywhere:
      var uncached = request
      uncached.headers.update(name: "Cache-Control", value: "no-cache")
      uncached.headers.update(name: "Pragma", value: "no-cache")
      self = .ask(uncached, about: nil)
    case .useProtocol, .revalidate:
      if let answer, request.cachePolicy == .useProtocol, Freshness(answer).isUsable(at: now, for: directives)
      {
        self = .use(answer)
      } else if directives.onlyIfCached {
        self = .fail
      } else if let answer, request.method == .get, let conditional = answer.revalidating(request) {
        self = .ask(conditional, about: answer)
      } else {
        self = .ask(request, about: request.method == .get ? answer : nil)
      }
    }
  }

  /// A request for a part of something, or with conditions of its own, is a matter between its sender and the server.
  ///
  /// So is one with a credential that the other transport proves, the request's own or that of a configuration: its answer does
  /// not show for whom it is.
  private static func isCacheable(_ request: TransportRequest) -> Bool {
    guard request.method == .get || request.method == .head, request.body == .none, request.credential == nil
    else { return false }
    return !request.headers.contains { field in
      field.isNamed("range") || field.name.withBytes { $0.hasLowercasedPrefix("if-") }
    }
  }
}
