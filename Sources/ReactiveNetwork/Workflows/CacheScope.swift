import ReactiveNetworkLock
import RxLite

/// Empties the caches of any number of `cached(for:)` singles at once, and keeps those that have a key.
///
/// Give all singles whose elements belong to an account the same scope, and empty it at sign-out. The scope
/// retains only the caches of keys, each while it has an element or a run. It may be used on any thread.
public final class CacheScope: Sendable {
  private struct Member {
    weak var cache: (any ScopedCache)?
  }

  /// The identity of a cache with a key.
  ///
  /// `@unchecked Sendable` because keys are made of `Sendable` values only.
  private struct Key: Hashable, @unchecked Sendable {
    let value: AnyHashable
    let cache: ObjectIdentifier
  }

  private let members = Lock([ObjectIdentifier: Member]())
  private let keyed = Lock([Key: any ScopedCache]())

  /// Creates a scope without caches.
  public init() {}

  /// Releases all cached elements; the next subscriber of each cache starts its source.
  ///
  /// A running source continues for its subscribers, but its element is not cached, and later subscribers do
  /// not receive it.
  public func removeAll() {
    let caches = members.withLock { $0.values.compactMap(\.cache) } + keyed.withLock { Array($0.values) }
    for cache in caches { cache.empty() }
  }

  /// Returns the cache of a key, which is created if there is none.
  ///
  /// - Parameters:
  ///   - value: the key.
  ///   - make: creates the cache, given the action to call when it may have become unused.
  /// - Returns: the cache.
  func cache<Element>(
    of value: some Hashable & Sendable,
    _ make: (_ onUnused: @escaping @Sendable () -> Void) -> SingleCache<Element>
  ) -> SingleCache<Element> {
    let key = Key(value: AnyHashable(value), cache: ObjectIdentifier(SingleCache<Element>.self))
    if let cache = keyed.withLock({ $0[key] }) as? SingleCache<Element> { return cache }
    let new = make { [weak self] in self?.removeUnused(key) }
    return keyed.withLock { keyed in
      if let cache = keyed[key] as? SingleCache<Element> { return cache }
      keyed[key] = new
      return new
    }
  }

  private func removeUnused(_ key: Key) {
    // The cache is released outside the lock.
    let unused = keyed.withLock { $0[key]?.isUnused == true ? $0.removeValue(forKey: key) : nil }
    withExtendedLifetime(unused) {}
  }

  func add(_ cache: any ScopedCache) {
    members.withLock { $0[ObjectIdentifier(cache)] = Member(cache: cache) }
  }

  func remove(_ cache: ObjectIdentifier) {
    members.withLock { _ = $0.removeValue(forKey: cache) }
  }
}

/// A cache that a scope can empty.
protocol ScopedCache: AnyObject, Sendable {
  func empty()
  /// Whether the cache has neither an element nor a run.
  var isUnused: Bool { get }
}
