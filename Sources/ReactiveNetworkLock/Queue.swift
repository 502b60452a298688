/// The queue type of the project: first in, first out, and each element can also be removed by its number.
///
/// All operations take amortized constant time, apart from a binary search for an element's number if
/// elements between others have been removed. The memory shrinks with the number of elements, so that of a
/// burst is returned. Removed elements are returned, so that a caller can release them without its lock.
///
/// ```swift
/// var queue = Queue<String>()
/// let number = queue.append("a")
/// queue.append("b")
/// let removed = queue.remove(number)  // "a"
/// let next = queue.popFirst()  // "b"
/// ```
public struct Queue<Element> {
  /// A place for an element, which is empty once the element has been removed.
  public typealias Slot = (number: Int, element: Element?)

  // Sorted by number. A removed element leaves an empty slot, but never at `head` or at the end.
  @usableFromInline var places: ContiguousArray<Slot> = []
  @usableFromInline var head = 0
  @usableFromInline var elementCount = 0
  @usableFromInline var lastNumber = 0
  #if DEBUG
    /// The number of slots that have been inspected in order to remove the empty ones; for tests.
    @usableFromInline package var inspectedSlots = 0
  #endif

  /// Creates an empty queue.
  @inlinable public init() {}

  /// Creates a queue of elements, the first of which is the oldest.
  @inlinable public init(_ elements: some Sequence<Element>) {
    append(contentsOf: elements)
  }

  /// The number of elements.
  @inlinable public var count: Int { elementCount }

  /// Whether there are no elements.
  @inlinable public var isEmpty: Bool { elementCount == 0 }

  /// The oldest element; `nil` if the queue is empty.
  @inlinable public var first: Element? { isEmpty ? nil : places[head].element }

  /// The slots of the elements, oldest first, and empty ones.
  ///
  /// A copy that is iterated over while elements are removed costs one copy of the queue, and not one for each
  /// removed element.
  @inlinable public var slots: ContiguousArray<Slot> { places }

  /// The number of the newest element, even if that has been removed.
  @inlinable public var newestNumber: Int { lastNumber }

  /// The elements, oldest first.
  @inlinable public var elements: [Element] { places[head...].compactMap(\.element) }

  /// The number of elements for which the queue holds memory.
  @inlinable package var capacity: Int { places.capacity }

  /// Adds an element; returns its number, which no other element of the queue gets.
  @inlinable @discardableResult public mutating func append(_ element: Element) -> Int {
    lastNumber += 1
    places.append((lastNumber, element))
    elementCount += 1
    return lastNumber
  }

  /// Adds elements in their order.
  @inlinable public mutating func append(contentsOf elements: some Sequence<Element>) {
    for element in elements { append(element) }
  }

  /// Removes and returns the oldest element; `nil` if the queue is empty.
  @inlinable public mutating func popFirst() -> Element? {
    guard elementCount > 0 else { return nil }
    let element = places[head].element.take()
    elementCount -= 1
    head += 1
    if isSparse {
      removeEmptySlots()
    } else {
      while head < places.count, places[head].element == nil { head += 1 }
    }
    return element
  }

  /// Removes and returns the newest element; `nil` if the queue is empty.
  @inlinable public mutating func popLast() -> Element? {
    isEmpty ? nil : takeElement(at: places.count - 1)
  }

  /// Removes and returns the element with a number; `nil` if it has been removed before.
  @inlinable @discardableResult public mutating func remove(_ number: Int) -> Element? {
    guard let index = index(of: number) else { return nil }
    return takeElement(at: index)
  }

  /// Removes all elements, and returns their slots.
  @inlinable public mutating func removeAll() -> ContiguousArray<Slot> {
    defer { (places, head, elementCount) = ([], 0, 0) }
    return places
  }

  /// The element with a number; `nil` if it has been removed, and setting it then has no effect.
  @inlinable public subscript(number: Int) -> Element? {
    get { index(of: number).flatMap { places[$0].element } }
    set {
      guard let newValue else { return _ = remove(number) }
      if let index = index(of: number) { places[index].element = newValue }
    }
  }

  @inlinable mutating func takeElement(at index: Int) -> Element? {
    let element = places[index].element.take()
    elementCount -= 1
    if index == places.count - 1 {
      repeat { places.removeLast() } while places.count > head && places[places.count - 1].element == nil
    }
    if isSparse {
      removeEmptySlots()
    } else {
      while head < places.count, places[head].element == nil { head += 1 }
    }
    return element
  }

  /// Whether the empty slots make up half of all, or the memory is that of a large burst.
  ///
  /// If the empty slots are removed then, each removal of an element pays for two slots.
  @inlinable var isSparse: Bool {
    elementCount * 2 < places.count || places.capacity > 1_024 && elementCount * 4 <= places.capacity
  }

  @inlinable mutating func removeEmptySlots() {
    #if DEBUG
      inspectedSlots += places.count
    #endif
    if places.capacity > 1_024, elementCount * 4 <= places.capacity {
      // Returns the memory of a large burst.
      var full: ContiguousArray<Slot> = []
      full.reserveCapacity(elementCount)
      for slot in places[head...] where slot.element != nil { full.append(slot) }
      places = full
    } else if elementCount == places.count - head {
      places.removeFirst(head)
    } else {
      places.removeAll { $0.element == nil }
    }
    head = 0
  }

  /// Returns the index of the slot of an element; `nil` if the element has been removed.
  @inlinable func index(of number: Int) -> Int? {
    if isEmpty { return nil }
    let last = places.count - 1
    let (oldest, newest) = (places[head].number, places[last].number)
    if number == oldest { return head }
    if number == newest { return last }
    if number < oldest || number > newest { return nil }
    // As numbers ascend, a slot is at most as far from both ends as its number is from theirs. If no slots
    // between others have been removed, a single index remains.
    var range = max(head, last - (newest - number))...min(last, head + (number - oldest))
    while true {
      let middle = (range.lowerBound + range.upperBound) / 2
      switch places[middle].number {
      case number: return places[middle].element == nil ? nil : middle
      case ..<number where middle < range.upperBound: range = (middle + 1)...range.upperBound
      case (number + 1)... where middle > range.lowerBound: range = range.lowerBound...(middle - 1)
      default: return nil
      }
    }
  }
}
