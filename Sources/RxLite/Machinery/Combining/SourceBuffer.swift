public import ReactiveNetworkLock

/// A buffer of any element type, and the subscription to its source.
///
/// `Sendable` because the combination's lock protects what subclasses add.
@usableFromInline class AnySourceBuffer: SingleAssignmentBase, Disposable, @unchecked Sendable {
  #if TRACE_RESOURCES
    private let trace = ResourceTrace()
  #endif

  @usableFromInline init() {
    super.init()
  }

  @usableFromInline func dispose() {
    disposeContent()
  }

  /// Removes and returns all elements after the first `count`.
  @usableFromInline func removeElements(after count: Int) -> Any { () }
}

/// The unused elements of one source of a combination; accessed only under the combination's lock.
@usableFromInline final class SourceBuffer<Element>: AnySourceBuffer, @unchecked Sendable {
  @usableFromInline let keepsLatest: Bool
  @exclusivity(unchecked) @usableFromInline var first: Element?
  @exclusivity(unchecked) @usableFromInline var others = Queue<Element>()

  @inlinable init(_: Element.Type = Element.self, keepsLatest: Bool) {
    self.keepsLatest = keepsLatest
    super.init()
  }

  @inlinable var isEmpty: Bool { first == nil }

  @inlinable var count: Int { isEmpty ? 0 : others.count + 1 }

  /// Stores an element and returns the element that it replaces; drops the new element if the limit is
  /// reached.
  @inlinable func put(_ element: Element, limit: Int) -> Element? {
    if keepsLatest || first == nil {
      return exchange(&first, with: element)
    }
    if count < limit { others.append(element) }
    return nil
  }

  @usableFromInline override func removeElements(after count: Int) -> Any {
    if count == 0 {
      defer { (first, others) = (nil, Queue()) }
      return (first, others)
    }
    var (kept, dropped) = (Queue<Element>(), others)
    while kept.count < count - 1, let element = dropped.popFirst() { kept.append(element) }
    others = kept
    return dropped
  }

  /// Returns the first element, and removes it unless the buffer keeps its latest element.
  ///
  /// Called only if the buffer is not empty.
  @inlinable func take(_ state: inout CombinationState) -> Element {
    guard let element = first else { preconditionFailure("The buffer is empty.") }
    if !keepsLatest {
      first = others.popFirst()
      if first == nil { state.emptyBuffers += 1 }
    }
    return element
  }
}
