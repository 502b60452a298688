/// The advertised alternative services of the origins that a loop has contacted.
///
/// libcurl's own cache of them (`CURLOPT_ALTSVC`) belongs to one handle, so each handle would have to learn
/// them again, and a request to an unreachable service would fail instead of going to the origin.
///
/// A pure value. Times are nanoseconds of the loop's clock.
package struct AlternativeServiceCache {
  private struct Entry {
    let service: AlternativeService
    let end: UInt64
  }

  /// The maximum number of origins to remember.
  private static let limit = 1_024
  /// The time for which a failed service is not used.
  private static let penalty: UInt64 = 300_000_000_000

  private var known: [Origin: Entry] = [:]
  /// The services that failed, by origin.
  private var failed: [Origin: Entry] = [:]

  package init() {}

  /// Stores the `Alt-Svc` value of a response from `url`, which replaces all earlier ones (RFC 7838, section
  /// 3).
  package mutating func store(_ value: Substring, from url: String, now: UInt64) {
    guard let origin = Self.origin(of: url) else { return }
    switch AlternativeServiceField(value) {
    case nil, .clear, .service(_, lifetime: 0): known[origin] = nil
    case .service(let service, let lifetime):
      // The table is only a cache: a forgotten service is advertised again.
      if known.count >= Self.limit, known[origin] == nil { known = known.filter { $0.value.end > now } }
      if known.count >= Self.limit, known[origin] == nil { known = [:] }
      known[origin] = Entry(service: service, end: now + lifetime * 1_000_000_000)
    }
  }

  /// Returns the service to send a request to; `nil` for the origin itself.
  package func service(for url: String, now: UInt64) -> AlternativeService? {
    guard !known.isEmpty, let origin = Self.origin(of: url), let entry = known[origin], now < entry.end else {
      return nil
    }
    if let failure = failed[origin], failure.service == entry.service, now < failure.end { return nil }
    return entry.service
  }

  /// Notes that a service could not serve the origin of `url`.
  package mutating func noteFailure(of service: AlternativeService, for url: String, now: UInt64) {
    guard let origin = Self.origin(of: url) else { return }
    if failed.count >= Self.limit { failed = [:] }
    failed[origin] = Entry(service: service, end: now + Self.penalty)
  }

  /// Advertisements are accepted, and used, only over TLS (RFC 7838, section 2.1).
  private static func origin(of url: String) -> Origin? {
    guard let origin = Origin(url: url), origin.isSecure, !origin.isUnixSocket else { return nil }
    return origin
  }
}
