/// The items that one thread at a time delivers, in order and without holding the lock that protects the outbox.
///
/// A thread adds items under the lock and then calls ``start()`` in the same step. If that returns an item, the
/// thread delivers it outside the lock, and then each item that ``next()`` returns under the lock, until that
/// returns `nil`. It must not stop earlier. If `start()` returns `nil`, there is nothing to deliver, or another
/// thread, perhaps this one further up the stack, is delivering and takes the items over.
///
/// ```swift
/// var item = state.withLock { state in
///   state.outbox.append(new)
///   return state.outbox.start()
/// }
/// while let current = item {
///   deliver(current)
///   item = state.withLock { $0.outbox.next() }
/// }
/// ```
///
/// All operations take amortized constant time.
public struct Outbox<Item> {
  // The oldest item. One that is alone needs no allocation.
  @usableFromInline var first: Item?
  @usableFromInline var others = Queue<Item>()
  @usableFromInline var hasDeliverer = false

  /// Creates an empty outbox.
  @inlinable public init() {}

  /// Whether a thread delivers.
  @inlinable public var isDelivering: Bool { hasDeliverer }

  /// The number of items that wait.
  @inlinable public var count: Int { first == nil ? 0 : others.count + 1 }

  /// Adds an item after the others.
  @inlinable @inline(__always) public mutating func append(_ item: Item) {
    if first == nil { first = item } else { appendToOthers(item) }
  }

  /// Adds an item, and returns the oldest one if the caller must deliver.
  @inlinable @inline(__always) public mutating func send(_ item: Item) -> Item? {
    guard !hasDeliverer, first == nil else { return sendAfterOthers(item) }
    hasDeliverer = true
    return item
  }

  /// Returns the oldest item if the caller must deliver it; `nil` if there is none or another thread delivers.
  @inlinable public mutating func start() -> Item? { hasDeliverer ? nil : next() }

  /// Returns the next item for the thread that delivers; `nil` ends its turn.
  @inlinable public mutating func next() -> Item? {
    let item = first.take()
    hasDeliverer = item != nil
    if !others.isEmpty { advance() }
    return item
  }

  // These are out of line, to keep the path of an item that is alone short.

  @inlinable @inline(never) mutating func appendToOthers(_ item: Item) {
    others.append(item)
  }

  @inlinable @inline(never) mutating func sendAfterOthers(_ item: Item) -> Item? {
    append(item)
    return start()
  }

  @inlinable @inline(never) mutating func advance() {
    first = others.popFirst()
  }
}
