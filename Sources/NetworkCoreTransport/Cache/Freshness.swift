package import typealias Foundation.TimeInterval

/// How long a private cache may use a stored response without revalidation (RFC 9111, section 4.2).
package struct Freshness: Sendable {
  private let directives: CacheControl
  private let isHeuristic: Bool
  private let hasLifetime: Bool
  private let status: Int
  /// The age of the response when it arrived.
  private let initialAge: TimeInterval
  private let responseTime: TimeInterval
  /// The age in seconds up to which the response is fresh.
  package let lifetime: TimeInterval

  /// Reads the fields of a response.
  package init(_ response: StoredResponse) {
    let headers = response.headers
    directives = CacheControl(headers)
    status = response.metadata.statusCode
    let now = response.metadata.responseTime
    responseTime = now
    let date = headers["Date"].flatMap { HTTPDate.seconds($0, now: now) } ?? now
    // The first of several values counts (RFC 9111, section 5.1).
    let ageValue = headers["Age"]?.split(separator: ",").first.map { CacheControl.seconds($0.trimmed) } ?? 0
    // The clock may have been set back while the response was on its way.
    let delay = max(0, responseTime - response.metadata.requestTime)
    initialAge = max(0, responseTime - date, ageValue + delay)
    isHeuristic = Self.heuristicStatuses.contains(status)
    if let maxAge = directives.maxAge {
      (lifetime, hasLifetime) = (maxAge, true)
    } else if let expires = headers["Expires"] {
      // A value that is not a date, such as 0, means that the response has expired.
      (lifetime, hasLifetime) = (max(0, (HTTPDate.seconds(expires, now: now) ?? 0) - date), true)
    } else if isHeuristic, let modified = headers["Last-Modified"].flatMap({ HTTPDate.seconds($0, now: now) })
    {
      // A tenth of the time since the last modification, and a day at most (section 4.2.2).
      (lifetime, hasLifetime) = (min(max(0, date - modified) / 10, 86_400), false)
    } else {
      (lifetime, hasLifetime) = (0, false)
    }
  }

  /// Returns the age of the response in seconds; `.infinity` if it is not known.
  ///
  /// It is not if the clock has been set back by more than a minute since the response arrived: the response must not
  /// stay fresh until the clock reaches that time again.
  package func age(at now: TimeInterval) -> TimeInterval {
    now < responseTime - 60 ? .infinity : initialAge + max(0, now - responseTime)
  }

  /// Whether the response may be used unchanged for a request with these directives.
  package func isUsable(at now: TimeInterval, for request: CacheControl) -> Bool {
    guard !directives.noCache, !request.noCache else { return false }
    let age = age(at: now)
    if let maxAge = request.maxAge, age > maxAge { return false }
    if lifetime > age, lifetime >= age + (request.minFresh ?? 0) { return true }
    guard !directives.mustRevalidate, age.isFinite, let maxStale = request.maxStale else { return false }
    return age - lifetime <= maxStale
  }

  /// Whether the response may be used while it is revalidated (RFC 5861).
  package func isUsableWhileRevalidating(at now: TimeInterval, for request: CacheControl) -> Bool {
    guard let limit = directives.staleWhileRevalidate, !directives.mustRevalidate, !directives.noCache,
      !request.noCache, request.minFresh == nil
    else { return false }
    let age = age(at: now)
    return age <= request.maxAge ?? .infinity && age - lifetime <= limit
  }

  /// Whether the response may be used because the server could not be reached, or failed (RFC 5861).
  package func isUsableOnError(at now: TimeInterval, for request: CacheControl) -> Bool {
    guard !directives.mustRevalidate, !directives.noCache,
      let limit = request.staleIfError ?? (request.noCache ? nil : directives.staleIfError)
    else { return false }
    return age(at: now) - lifetime <= limit
  }

  /// Whether the response may be stored: it is final and complete, and its fields or its status allow reuse.
  var isStorable: Bool {
    let isForbidden = directives.mustUnderstand ? !Self.knownStatuses.contains(status) : directives.noStore
    guard !isForbidden, status >= 200, status != 206, status != 304 else { return false }
    return isHeuristic || hasLifetime
  }

  /// The statuses of RFC 9110, section 15; what it says of caching is the same for all but 206 and 304.
  private static let knownStatuses = Set(
    Array(200...205) + [300, 301, 302, 303, 305, 307, 308] + Array(400...417) + [421, 422, 426]
      + Array(500...505))

  /// The heuristically cacheable statuses (RFC 9110, section 15.1), without 206.
  private static let heuristicStatuses: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]
}
