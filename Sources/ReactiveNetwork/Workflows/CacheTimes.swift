import Foundation
import RxLite

/// The ages in seconds up to which a cached element may be used (RFC 5861).
struct CacheTimes: Sendable {
  /// Up to which it is fresh.
  let fresh: TimeInterval
  /// Up to which it may be used while a new one is requested.
  let usableWhileRevalidating: TimeInterval
  /// Up to which it may be used in place of an error.
  let usableIfError: TimeInterval

  init(lifetime: RxTimeInterval, staleWhileRevalidate: RxTimeInterval, staleIfError: RxTimeInterval) {
    fresh = lifetime.inSeconds
    usableWhileRevalidating = fresh + staleWhileRevalidate.inSeconds
    usableIfError = fresh + staleIfError.inSeconds
  }
}
