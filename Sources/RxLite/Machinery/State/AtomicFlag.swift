public import Synchronization

/// A flag that any thread may set and read.
///
/// A thread that finds the flag set also sees everything that happened before `set()`.
@usableFromInline final class AtomicFlag: Sendable {
  @usableFromInline let value = Atomic(false)

  @inlinable init() {}

  @inlinable var isSet: Bool { value.load(ordering: .acquiring) }

  @inlinable func set() {
    value.store(true, ordering: .releasing)
  }
}
