import Foundation
import RxLite

/// The ages in seconds at which the uses of a cached element end (RFC 5861).
struct CacheTimes: Sendable {
  /// The end of its lifetime.
  let fresh: TimeInterval
  /// The end of its use while a new one is requested.
  let usableWhileRevalidating: TimeInterval
  /// The end of its use in place of an error.
  let usableIfError: TimeInterval

  init(lifetime: RxTimeInterval, staleWhileRevalidate: RxTimeInterval, staleIfError: RxTimeInterval) {
    fresh = lifetime.inSeconds
    usableWhileRevalidating = fresh + staleWhileRevalidate.inSeconds
    usableIfError = fresh + staleIfError.inSeconds
  }
}
