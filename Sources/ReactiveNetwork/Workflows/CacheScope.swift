import ReactiveNetworkLock
import RxLite

/// Empties the caches of any number of `cached(for:)` singles at once, and keeps those that have a key.
///
/// Give all singles whose elements belong to an account the same scope, and empty it at sign-out. The scope
/// retains only the caches of keys, each while it has an element or a run. It may be used on any thread.
public final class CacheScope: Sendable {
  private struct Member {
    weak var cache: (any EmptiableCache)?
  }

  /// The identity of a cache with a key.
  ///
  /// `@unchecked Sendable` because keys are made of `Sendable` values only.
  private struct Key: Hashable, @unchecked Sendable {
    let value: AnyHashable
    let cache: ObjectIdentifier
  }

  private struct KeyedCache {
    let cache: any EmptiableCache
    /// The number of subscribers that have found the cache and may not have joined its run yet.
    var lookups = 0
  }

  private let members = Lock([ObjectIdentifier: Member]())
  private let keyed = Lock([Key: KeyedCache]())

  /// Creates a scope without caches.
  public init() {}

  /// Releases all cached elements; the next subscriber of each cache starts its source.
  ///
  /// A running source continues for its subscribers, but its element is not cached, and later subscribers do
  /// not receive it. One that runs only in the background ends.
  public func removeAll() {
    // Taken out, so that the next subscriber of a key brings its own source.
    let keyedCaches = keyed.withLock { keyed in
      defer { keyed = [:] }
      return keyed.values.map(\.cache)
    }
    for cache in members.withLock({ $0.values.compactMap(\.cache) }) + keyedCaches { cache.empty() }
  }

  /// Returns the single of a key's cache, which is created if there is none.
  ///
  /// - Parameters:
  ///   - value: the key.
  ///   - make: creates the cache, given the action to call when it may have become unused.
  /// - Returns: the single, to which the caller must subscribe once.
  func single<Element>(
    of value: some Hashable & Sendable,
    _ make: (_ onUnused: @escaping @Sendable () -> Void) -> SingleCache<Element>
  ) -> Single<Element> {
    let key = Key(value: AnyHashable(value), cache: ObjectIdentifier(SingleCache<Element>.self))
    let cache = find(key) ?? add(make { [weak self] in self?.removeUnused(key) }, as: key)
    // Until then, the cache has no run that would keep it.
    defer { endLookup(of: key, in: cache) }
    return cache.current()
  }

  /// Returns the cache of a key, which stays until `endLookup(of:in:)` is called.
  private func find<Element>(_ key: Key) -> SingleCache<Element>? {
    keyed.withLock { keyed in
      guard let cache = keyed[key]?.cache as? SingleCache<Element> else { return nil }
      keyed[key]?.lookups += 1
      return cache
    }
  }

  /// Adds a cache, unless another one has been added meanwhile, and returns the one that counts.
  private func add<Element>(_ new: SingleCache<Element>, as key: Key) -> SingleCache<Element> {
    keyed.withLock { keyed in
      let cache = keyed[key]?.cache as? SingleCache<Element> ?? new
      keyed[key, default: KeyedCache(cache: new)].lookups += 1
      return cache
    }
  }

  private func endLookup(of key: Key, in cache: any EmptiableCache) {
    // It is another one if the scope has been emptied.
    keyed.withLock { if $0[key]?.cache === cache { $0[key]?.lookups -= 1 } }
    removeUnused(key)
  }

  private func removeUnused(_ key: Key) {
    // The cache is released outside the lock.
    let unused = keyed.withLock { keyed -> KeyedCache? in
      guard let entry = keyed[key], entry.lookups == 0, entry.cache.isUnused else { return nil }
      return keyed.removeValue(forKey: key)
    }
    withExtendedLifetime(unused) {}
  }

  func add(_ cache: any EmptiableCache) {
    members.withLock { $0[ObjectIdentifier(cache)] = Member(cache: cache) }
  }

  func remove(_ cache: ObjectIdentifier) {
    members.withLock { _ = $0.removeValue(forKey: cache) }
  }
}

/// A cache that a scope can empty.
protocol EmptiableCache: AnyObject, Sendable {
  func empty()
  /// Whether the cache has neither an element nor a run.
  var isUnused: Bool { get }
}
