/// The elements that a subject replays to later observers.
@usableFromInline protocol ReplayBuffer<Element> {
  associatedtype Element

  /// Records an event.
  ///
  /// Returns the element that is no longer kept, so that the caller releases it outside the lock.
  mutating func record(_ event: Event<Element>) -> Element?

  /// Removes the elements that can no longer be requested.
  ///
  /// Returns them, so that the caller releases them outside the lock.
  mutating func removeAll() -> [Element]

  /// Returns the elements that a new observer gets first, without the stop event.
  func replay(hasEnded: Bool) -> [Element]
}

/// Keeps the latest element, and replays it while the subject runs.
@usableFromInline struct LatestValueBuffer<Element>: ReplayBuffer {
  @usableFromInline var latest: Element

  @inlinable init(latest: Element) {
    self.latest = latest
  }

  @inlinable mutating func record(_ event: Event<Element>) -> Element? {
    guard case .next(let element) = event else { return nil }
    defer { latest = element }
    return latest
  }

  // Keeps the element until the subject is released, because `latest` cannot be empty.
  @inlinable mutating func removeAll() -> [Element] { [] }

  @inlinable func replay(hasEnded: Bool) -> [Element] {
    hasEnded ? [] : [latest]
  }
}

/// Keeps the last `size` elements, even after the end.
@usableFromInline struct RingReplayBuffer<Element>: ReplayBuffer {
  @usableFromInline let size: Int
  // The oldest element is at `start`; the next element overwrites it once the buffer is full.
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

  @inlinable mutating func removeAll() -> [Element] {
    defer { (ring, start) = ([], 0) }
    return ring
  }

  @inlinable func replay(hasEnded: Bool) -> [Element] {
    Array(ring[start...] + ring[..<start])
  }
}
