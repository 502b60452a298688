/// What a subject keeps for those who subscribe late.
@usableFromInline protocol SubjectMemory<Element> {
  associatedtype Element

  mutating func record(_ event: Event<Element>)

  /// What a new observer gets first; the stop event itself is not the memory's business.
  func replay(isStopped: Bool) -> [Element]
}

/// Keeps the latest element, and shows it as long as the subject runs.
@usableFromInline struct LatestMemory<Element>: SubjectMemory {
  @usableFromInline var latest: Element

  @inlinable init(latest: Element) {
    self.latest = latest
  }

  @inlinable mutating func record(_ event: Event<Element>) {
    if case .next(let element) = event { latest = element }
  }

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

  @inlinable mutating func record(_ event: Event<Element>) {
    guard case .next(let element) = event, size > 0 else { return }
    if ring.count < size {
      ring.append(element)
    } else {
      ring[start] = element
      start = (start + 1) % size
    }
  }

  @inlinable func replay(isStopped: Bool) -> [Element] {
    Array(ring[start...] + ring[..<start])
  }
}
