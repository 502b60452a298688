package import typealias Foundation.TimeInterval

/// The directives of `Cache-Control`, of a request or an answer (RFC 9111, section 5.2), as far as a cache of one user needs
/// them.
package struct CacheControl: Sendable, Hashable {
  /// Nothing of it may be stored.
  package private(set) var noStore = false
  /// The server must be asked first.
  ///
  /// One that names fields is read as one for the whole answer, which is safe.
  package private(set) var noCache = false
  /// What is stale must not be used, whatever the request allows.
  package private(set) var mustRevalidate = false
  /// Only what is stored is wanted.
  package private(set) var onlyIfCached = false
  /// The age in seconds up to which an answer is fresh; 0 for a number that makes no sense or two that differ.
  package private(set) var maxAge: TimeInterval?
  /// How stale an answer may be; `.infinity` where the request does not limit it.
  package private(set) var maxStale: TimeInterval?
  /// How long an answer must stay fresh from now on.
  package private(set) var minFresh: TimeInterval?
  /// How stale an answer may be where the server cannot be asked (RFC 5861).
  package private(set) var staleIfError: TimeInterval?

  /// Reads the directives of header fields.
  package init(_ headers: HTTPHeaders) {
    guard let value = headers["Cache-Control"] else {
      // From the time before there were directives (RFC 9111, section 5.4).
      noCache = headers["Pragma"]?.lowercased().contains("no-cache") ?? false
      return
    }
    for (name, argument) in Self.directives(value) {
      let seconds = argument.map { Self.seconds($0) }
      switch name {
      case "no-store": noStore = true
      case "no-cache": noCache = true
      case "must-revalidate": mustRevalidate = true
      case "only-if-cached": onlyIfCached = true
      case "max-age": maxAge = maxAge == nil || maxAge == seconds ? seconds ?? 0 : 0
      case "max-stale": maxStale = seconds ?? .infinity
      case "min-fresh": minFresh = seconds
      case "stale-if-error": staleIfError = seconds
      // s-maxage, public, private and proxy-revalidate are for caches that several users share.
      default: break
      }
    }
  }

  /// A number of seconds, and at most 2^31 (RFC 9111, section 1.2.2); 0 for what is none.
  static func seconds(_ text: some StringProtocol) -> TimeInterval {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
    return min(TimeInterval(text) ?? 0, secondsLimit)
  }

  /// The most seconds that a field says.
  static let secondsLimit: TimeInterval = 2_147_483_648

  /// Names in lower case, and arguments without their quotation marks.
  private static func directives(_ value: String) -> [(name: String, argument: String?)] {
    var found: [(String, String?)] = []
    var rest = value[...]
    while !rest.isEmpty {
      let name = rest.prefix { $0 != "," && $0 != "=" }
      rest = rest[name.endIndex...]
      var argument: String?
      if rest.first == "=" {
        rest = rest.dropFirst()
        if rest.first == "\"" {
          let quoted = rest.dropFirst().prefix { $0 != "\"" }
          argument = String(quoted)
          rest = rest[quoted.endIndex...].drop { $0 != "," }
        } else {
          let token = rest.prefix { $0 != "," }
          argument = String(token.trimmed)
          rest = rest[token.endIndex...]
        }
      }
      found.append((name.trimmed.lowercased(), argument))
      rest = rest.dropFirst()
    }
    return found
  }
}
