package import typealias Foundation.TimeInterval

/// A cache's decision about a request (RFC 9111, section 4).
package enum CacheDecision: Sendable {
  /// The request is sent, and its response is not stored. `isConditional` is `true` if a response
  /// in a file could still answer the caller's conditions.
  case bypass(isConditional: Bool)
  /// The stored response is used.
  case use(StoredResponse)
  /// The stored response, which is stale, is used, and revalidated for later requests.
  case useAndRevalidate(StoredResponse)
  /// The request is sent. `stored` is the stored response that it revalidates or, as a HEAD, updates, and that is
  /// used if the server fails; `nil` if there is none.
  case send(TransportRequest, stored: StoredResponse?)
  /// The request ends with `TransferError.notStored`.
  case fail

  /// Decides about a request.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - stored: the stored responses for its URL.
  ///   - now: seconds since 1970.
  ///   - added: what the transport below adds to the request.
  package init(
    _ request: TransportRequest, stored: [StoredResponse], now: TimeInterval,
    added: AddedCredentials = []
  ) {
    if request.method == .get, let range = request.headers["Range"] {
      var whole = request
      whole.headers.remove(name: "Range")
      let decision = Self(whole, stored: stored, now: now, added: added)
      self = decision.restricted(to: range, maySend: !request.usesOnlyStored)
      return
    }
    let directives = CacheControl(request.headers)
    guard Self.isCacheable(request), added.isSubset(of: .cookies), !directives.noStore else {
      self = request.usesOnlyStored ? .fail : .bypass(isConditional: false)
      return
    }
    let response = stored.filter { $0.matches(request.headers) && $0.isUsable(with: added) }
      // Not by their arrival: a late 304 does not make its response newer than one that was requested afterwards.
      .max { $0.metadata.requestTime < $1.metadata.requestTime }
    switch request.cachePolicy {
    case .storedOnly: self = response.map { .use($0) } ?? .fail
    case .storedElseLoad where response != nil: self = response.map { .use($0) } ?? .fail
    case .storedElseLoad, .reload, .reloadEverywhere:
      self = request.usesOnlyStored ? .fail : .send(request, stored: nil)
    case .useProtocol, .revalidate:
      if let response, request.cachePolicy == .useProtocol,
        Freshness(response).isUsable(at: now, for: directives)
      {
        self = .use(response)
      } else if let response, request.cachePolicy == .useProtocol, request.method == .get,
        !request.hasConditions, Freshness(response).isUsableWhileRevalidating(at: now, for: directives)
      {
        self = .useAndRevalidate(response)
      } else if directives.onlyIfCached {
        self = .fail
      } else if let response, request.method == .get, let conditional = response.revalidating(request) {
        self = .send(conditional, stored: response)
      } else {
        self = .send(request, stored: response)
      }
    }
    guard request.hasConditions else { return }
    switch self {
    case .use(let response): self = .use(response.evaluating(request))
    // The response may be a 304 to the caller's own condition.
    case .send:
      self = .bypass(isConditional: ![.reload, .reloadEverywhere].contains(request.cachePolicy))
    case .useAndRevalidate, .bypass, .fail: break
    }
  }

  /// Returns the decision about a request for a range, given the one about the whole.
  ///
  /// Only a response that may be used unchanged can serve a part, and what the server sends is not stored. Files are
  /// not read for it, unless nothing may be sent: each part would cost the reading of the whole.
  private func restricted(to range: String, maySend: Bool) -> Self {
    let other = maySend ? Self.bypass(isConditional: false) : .fail
    return switch self {
    case .use(let response): response.part(range).map { .use($0) } ?? other
    case .useAndRevalidate(let response) where !maySend: response.part(range).map { .use($0) } ?? other
    case .bypass, .useAndRevalidate, .send: other
    case .fail: .fail
    }
  }

  /// Whether the cache may handle the request.
  ///
  /// Requests with conditions that the cache cannot evaluate go to the server, and so does a HEAD with a range.
  /// So do requests with a credential, and those to which the transport may add one (`added`), because the
  /// response does not show which user it is meant for; and server-sent events, which a reconnection would get again.
  private static func isCacheable(_ request: TransportRequest) -> Bool {
    guard request.method == .get || request.method == .head, request.body == .none, request.credential == nil,
      request.headers["Accept"] != "text/event-stream"
    else { return false }
    return !request.headers.contains { field in
      field.isNamed("range")
        || field.name.withBytes { $0.hasLowercasedPrefix("if-") } && !field.isCondition
    }
  }
}

extension TransportRequest {
  /// Whether the request must not be sent (`only-if-cached`: RFC 9111, section 5.2.1.7).
  fileprivate var usesOnlyStored: Bool { cachePolicy == .storedOnly || CacheControl(headers).onlyIfCached }

  /// Whether the caller has set conditions that a cache may evaluate.
  fileprivate var hasConditions: Bool { headers.contains(where: \.isCondition) }
}

extension HTTPHeader {
  fileprivate var isCondition: Bool { isNamed("if-none-match") || isNamed("if-modified-since") }
}
