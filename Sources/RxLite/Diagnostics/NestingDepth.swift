// RxSwift has it in the same builds only.
#if DEBUG || TRACE_RESOURCES
  import Synchronization

  /// The largest number of nested lists of sequences that `concat`, `catch(sequence:)` or `retry` has kept.
  ///
  /// It can be reset.
  ///
  /// It is 1 for a recursion in which each nested list is the last element of a collection. It grows with the
  /// depth if the lists are sequences but not collections, because their last element cannot be recognised.
  public var maxTailRecursiveSinkStackSize: Int {
    get { deepestNesting.load(ordering: .relaxed) }
    set { deepestNesting.store(newValue, ordering: .relaxed) }
  }

  private let deepestNesting = Atomic(0)

  @usableFromInline func recordNestingDepth(_ depth: Int) {
    deepestNesting.max(depth, ordering: .relaxed)
  }
#endif
