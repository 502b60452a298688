import Synchronization

/// Counts the elements that a subject accepts.
///
/// An element may have to wait for the delivery of an earlier one. An operator that is still busy with that one learns
/// here that it is out of date.
@usableFromInline final class ElementCounter: Sendable {
  private let value = Atomic(0)

  @usableFromInline init() {}

  /// The number of accepted elements; a subject may leave out those that do not have to wait.
  ///
  /// If it changes while an observer handles an element, the observer gets a newer element afterwards.
  @usableFromInline var count: Int { value.load(ordering: .acquiring) }

  /// Counts an element; called with the lock held under which the subject accepts it.
  @usableFromInline func increment() {
    value.store(value.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }
}
