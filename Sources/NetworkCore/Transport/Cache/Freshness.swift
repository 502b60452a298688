package import typealias Foundation.TimeInterval

/// Until when a stored answer may be used without asking the server (RFC 9111, section 4.2), in a cache of one user.
package struct Freshness: Sendable {
  private let directives: CacheControl
  private let isHeuristic: Bool
  private let hasLifetime: Bool
  private let status: Int
  /// How old the answer was when it came.
  private let initialAge: TimeInterval
  private let responseTime: TimeInterval
  /// The age in seconds up to which it is fresh.
  package let lifetime: TimeInterval

  /// Reads the fields of an answer.
  package init(_ answer: StoredAnswer) {
    let headers = answer.headers
    directives = CacheControl(headers)
    status = answer.facts.statusCode
    responseTime = answer.facts.responseTime
    let date = headers["Date"].flatMap(HTTPDate.seconds) ?? responseTime
    // The first where there are several (RFC 9111, section 5.1).
    let ageValue = headers["Age"]?.split(separator: ",").first.map { CacheControl.seconds($0.trimmed) } ?? 0
    initialAge = max(0, responseTime - date, ageValue + responseTime - answer.facts.requestTime)
    isHeuristic = Self.heuristicStatuses.contains(status)
    if let maxAge = directives.maxAge {
      (lifetime, hasLifetime) = (maxAge, true)
    } else if let expires = headers["Expires"] {
      // What is no date, such as 0, has expired.
      (lifetime, hasLifetime) = (max(0, (HTTPDate.seconds(expires) ?? 0) - date), true)
    } else if isHeuristic, let modified = headers["Last-Modified"].flatMap(HTTPDate.seconds) {
      // A tenth of the time for which it had not changed, and a day at most (section 4.2.2).
      (lifetime, hasLifetime) = (min(max(0, date - modified) / 10, 86_400), false)
    } else {
      (lifetime, hasLifetime) = (0, false)
    }
  }

  /// How old the answer is, in seconds.
  package func age(at now: TimeInterval) -> TimeInterval { initialAge + max(0, now - responseTime) }

  /// Whether the answer may be used as it is for a request with these directives.
  package func isUsable(at now: TimeInterval, for request: CacheControl) -> Bool {
    guard !directives.noCache, !request.noCache else { return false }
    let age = age(at: now)
    if let maxAge = request.maxAge, age > maxAge { return false }
    if lifetime > age + (request.minFresh ?? 0) { return true }
    guard !directives.mustRevalidate, let maxStale = request.maxStale else { return false }
    return age - lifetime <= maxStale
  }

  /// Whether the answer may be used because the server could not be asked, or failed (RFC 5861).
  package func isUsableOnError(at now: TimeInterval, for request: CacheControl) -> Bool {
    guard !directives.mustRevalidate, let limit = request.staleIfError ?? directives.staleIfError else {
      return false
    }
    return age(at: now) - lifetime <= limit
  }

  /// Whether it may be stored: a final, whole answer that says how long it holds, or whose status is known to hold.
  var isStorable: Bool {
    guard !directives.noStore, status >= 200, status != 206, status != 304 else { return false }
    return isHeuristic || hasLifetime
  }

  /// RFC 9110, section 15.1, without 206.
  private static let heuristicStatuses: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]
}
