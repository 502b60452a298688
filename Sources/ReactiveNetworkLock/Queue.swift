/// A first-in, first-out queue whose operations take amortized constant time.
public struct Queue<Element> {
  @usableFromInline var elements: ContiguousArray<Element?> = []
  @usableFromInline var head = 0

  /// Creates an empty queue.
  @inlinable public init() {}

  /// The number of elements.
  @inlinable public var count: Int { elements.count - head }

  /// Whether there is no element.
  @inlinable public var isEmpty: Bool { head == elements.count }

  /// The oldest element.
  @inlinable public var first: Element? { isEmpty ? nil : elements[head] }

  /// Adds an element at the end.
  @inlinable public mutating func append(_ element: Element) {
    elements.append(element)
  }

  /// Removes and returns the oldest element.
  @inlinable public mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let element = elements[head].take()
    head += 1
    // Empty slots are removed once they make up half of the array, so that each element moves at most once on
    // average.
    if head * 2 >= elements.count { removeEmptySlots() }
    return element
  }

  @inlinable mutating func removeEmptySlots() {
    // Frees the memory of a large burst.
    if elements.capacity > 1_024, count * 4 <= elements.capacity {
      elements = ContiguousArray(elements[head...])
    } else {
      elements.removeFirst(head)
    }
    head = 0
  }
}
