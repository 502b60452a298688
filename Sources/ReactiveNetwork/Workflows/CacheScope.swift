import Locking
import RxLite

/// Empties what `cached(for:in:scheduler:)` keeps, for any number of singles at once.
///
/// Give all singles whose elements belong to an account the same scope, and empty it at sign-out. The scope does not keep the caches
/// alive. It may be used on any thread.
public final class CacheScope: Sendable {
  private struct Member {
    weak var cache: (any ScopedCache)?
  }

  private let members = Lock([ObjectIdentifier: Member]())

  /// Makes a scope without any cache.
  public init() {}

  /// Releases all kept elements; the next subscriber of each cache starts its source.
  ///
  /// A source that is running goes on for those who have subscribed, but its element is not kept, and later subscribers do not get it.
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
