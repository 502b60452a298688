import RxLite

/// How long a cached element is fresh, and how long it may be used after that (RFC 5861).
struct CacheTimes: Sendable {
  let lifetime: RxTimeInterval
  let staleWhileRevalidate: RxTimeInterval
  let staleIfError: RxTimeInterval

  /// The longest time for which an element may be used after its lifetime.
  var longestStale: RxTimeInterval {
    .inSeconds(max(staleWhileRevalidate.inSeconds, staleIfError.inSeconds))
  }

  /// The time for which an element is kept.
  var total: RxTimeInterval {
    longestStale.inSeconds > 0 ? .inSeconds(lifetime.inSeconds + longestStale.inSeconds) : lifetime
  }
}
