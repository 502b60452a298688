/// A first-in, first-out queue whose operations take amortized constant time.
@usableFromInline struct Queue<Element> {
  @usableFromInline var elements: ContiguousArray<Element?> = []
  @usableFromInline var head = 0

  @inlinable init() {}

  @inlinable var count: Int { elements.count - head }

  @inlinable var isEmpty: Bool { head == elements.count }

  @inlinable var first: Element? { isEmpty ? nil : elements[head] }

  @inlinable mutating func append(_ element: Element) {
    elements.append(element)
  }

  @inlinable mutating func popFirst() -> Element? {
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
