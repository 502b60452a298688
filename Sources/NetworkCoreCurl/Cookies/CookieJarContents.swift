/// The cookies of a jar.
struct CookieJarContents {
  /// The number of cookies that a client should at least be able to store (RFC 6265, section 6.1).
  private static let limit = 3_000

  private struct Stored {
    var cookie: Cookie
    /// The number of cookies that were created before it.
    let index: Int
    /// The number of uses of all cookies up to its last one.
    var lastUse: Int
  }

  /// The cookies by domain, those of a domain in the order of their creation.
  private var domains: [String: [Stored]] = [:]
  private var count = 0
  private var createdCount = 0
  private var useCount = 0

  /// Adds, replaces or removes a cookie.
  ///
  /// - Complexity: O(*n*), where *n* is the number of cookies of the domain, or of all if neither the cookie
  ///   nor its sender is secure.
  mutating func store(_ cookie: Cookie, isFromSecureOrigin: Bool, at time: Int) {
    if !isFromSecureOrigin, !cookie.isSecure, isOverSecureCookie(cookie, at: time) { return }
    let domain = cookie.identity.domain
    var stored = domains.removeValue(forKey: domain) ?? []
    count -= stored.count
    stored.removeAll { $0.cookie.isExpired(at: time) }
    let index = stored.firstIndex { $0.cookie.identity == cookie.identity }
    useCount += 1
    if cookie.isExpired(at: time) {
      if let index { stored.remove(at: index) }
    } else if let index {
      // Like the first cookie, it counts as old as that (RFC 6265, section 5.3).
      stored[index].cookie = cookie
      stored[index].lastUse = useCount
    } else {
      stored.append(Stored(cookie: cookie, index: createdCount, lastUse: useCount))
      createdCount += 1
    }
    set(stored, of: domain)
    if count > Self.limit { removeSurplus(at: time) }
  }

  /// Returns the cookies for a request: those with the longest paths first, then the oldest (RFC 6265,
  /// section 5.4); this counts as their use.
  mutating func sent(to origin: CookieOrigin, at time: Int) -> [Cookie] {
    var sent: [Stored] = []
    for domain in origin.domains.map({ String($0) }) {
      for (place, stored) in (domains[domain] ?? []).enumerated()
      where stored.cookie.isSent(to: origin, at: time) {
        sent.append(stored)
        useCount += 1
        domains[domain]?[place].lastUse = useCount
      }
    }
    return sent.sorted { first, second in
      let (length, other) = (first.cookie.identity.path.count, second.cookie.identity.path.count)
      return length == other ? first.index < second.index : length > other
    }.map(\.cookie)
  }

  /// Returns all cookies that have not expired, the oldest first.
  func all(at time: Int) -> [Cookie] {
    domains.values.joined().sorted { $0.index < $1.index }.map(\.cookie).filter { !$0.isExpired(at: time) }
  }

  private mutating func set(_ stored: [Stored], of domain: String) {
    domains[domain] = stored.isEmpty ? nil : stored
    count += stored.count
  }

  /// Whether a host could get the cookie beside, or instead of, a secure one of the same name, and take it
  /// for that (RFC 6265bis, "leave secure cookies alone").
  private func isOverSecureCookie(_ cookie: Cookie, at time: Int) -> Bool {
    let domain = cookie.identity.domain
    return domains.contains { other, stored in
      (other == domain || other.hasSuffix("." + domain) || domain.hasSuffix("." + other))
        && stored.contains {
          $0.cookie.isSecure && !$0.cookie.isExpired(at: time)
            && $0.cookie.identity.name == cookie.identity.name
            && $0.cookie.matches(path: cookie.identity.path)
        }
    }
  }

  /// Removes the expired cookies, then those of the domains with the most cookies.
  private mutating func removeSurplus(at time: Int) {
    for (domain, stored) in domains {
      count -= stored.count
      set(stored.filter { !$0.cookie.isExpired(at: time) }, of: domain)
    }
    guard count > Self.limit else { return }
    // More than the surplus, so that not every new cookie causes this.
    let rest = Self.limit - Self.limit / 10
    let share = Self.share(of: domains.values.map(\.count), total: rest)
    guard share > 0 else { return removeLeastRecentlyUsed(downTo: rest) }
    for (domain, stored) in domains where count > rest && stored.count > share {
      count -= stored.count
      set(Self.kept(share, of: stored), of: domain)
    }
  }

  /// Returns so many cookies of a domain, in the order of their creation.
  ///
  /// The secure ones have precedence: a sender without TLS must not displace them by many of its own, and then
  /// replace them. Of the others, those that were used last are kept (RFC 6265, section 5.3).
  private static func kept(_ count: Int, of stored: [Stored]) -> [Stored] {
    let ordered = stored.sorted { first, second in
      first.cookie.isSecure == second.cookie.isSecure
        ? first.lastUse > second.lastUse : first.cookie.isSecure
    }
    return ordered.prefix(count).sorted { $0.index < $1.index }
  }

  /// Removes the cookies of all domains that have not been used for the longest time.
  private mutating func removeLeastRecentlyUsed(downTo rest: Int) {
    let uses = domains.values.joined().map(\.lastUse).sorted(by: >)
    guard let oldest = uses.prefix(rest).last else { return }
    for (domain, stored) in domains {
      count -= stored.count
      set(stored.filter { $0.lastUse >= oldest }, of: domain)
    }
  }

  /// Returns the limit to which each of several numbers must be reduced so that their sum is at most `total`.
  private static func share(of counts: [Int], total: Int) -> Int {
    var left = total
    for (index, count) in counts.sorted().enumerated() {
      let share = left / (counts.count - index)
      if count > share { return share }
      left -= count
    }
    return total
  }
}
