import ReactiveNetworkLock
import RxLite

/// Empties the caches of any number of `cached(for:in:scheduler:)` singles at once.
///
/// Give all singles whose elements belong to an account the same scope, and empty it at sign-out. The scope
/// does not retain the caches. It may be used on any thread.
public final class CacheScope: Sendable {
  private struct Member {
    weak var cache: (any ScopedCache)?
  }

  private let members = Lock([ObjectIdentifier: Member]())

  /// Creates a scope without caches.
  public init() {}

  /// Releases all cached elements; the next subscriber of each cache starts its source.
  ///
  /// A running source continues for its subscribers, but its element is not cached, and later subscribers do
  /// not receive it.
  public func removeAll() {
    let caches = members.withLock { $0.values.compactMap(\.cache) }
    for cache in caches { cache.empty() }
  }

  func add(_ cache: any ScopedCache) {
    members.withLock { $0[ObjectIdentifier(cache)] = Member(cache: cache) }
  }

  func remove(_ cache: ObjectIdentifier) {
    members.withLock { _ = $0.removeValue(forKey: cache) }
  }
}

/// A cache that a scope can empty.
protocol ScopedCache: AnyObject {
  func empty()
}
