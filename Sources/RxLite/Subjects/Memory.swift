/// What a subject keeps for those who subscribe late.
@usableFromInline protocol SubjectMemory<Element> {
  associatedtype Element

  /// Returns the element that is no longer kept, to be released outside of the lock.
  mutating func record(_ event: Event<Element>) -> Element?

  /// Lets go of what is kept, as far as nobody can ask for it any more, and returns it for the same reason.
  mutating func forget() -> [Element]

  /// What a new observer gets first; the stop event itself is not the memory's business.
  func replay(isStopped: Bool) -> [Element]
}

/// Keeps the latest element, and shows it as long as the subject runs.
@usableFromInline struct LatestMemory<Element>: SubjectMemory {
  @usableFromInline var latest: Element

  @inlinable init(latest: Element) {
    self.latest = latest
  }

  @inlinable mutating func record(_ event: Event<Element>) -> Element? {
    guard case .next(let element) = event else { return nil }
    defer { latest = element }
    return latest
  }

  // The subject has a value to show as long as it lives.
  @inlinable mutating func forget() -> [Element] { [] }

  @inlinable func replay(isStopped: Bool) -> [Element] {
    isStopped ? [] : [latest]
  }
}

/// Keeps the last so many elements, also beyond the end.
@usableFromInline struct BufferMemory<Element>: SubjectMemory {
  @usableFromInline let size: Int
  // The oldest element is at `start`, where the next one will overwrite it once the buffer is full.
  @usableFromInline var ring: [Element] = []
  @usableFromInline var start = 0

  @inlinable init(size: Int) {
    self.size = size
  }

  @inlinable mutating func record(_ event: Event<Element>) -> Element? {
    guard case .next(let element) = event, size > 0 else { return nil }
    guard ring.count == size else {
      ring.append(element)
      return nil
    }
    defer {
      ring[start] = element
      start = (start + 1) % size
    }
    return ring[start]
  }

  @inlinable mutating func forget() -> [Element] {
    defer { (ring, start) = ([], 0) }
    return ring
  }

  @inlinable func replay(isStopped: Bool) -> [Element] {
    Array(ring[start...] + ring[..<start])
  }
}
