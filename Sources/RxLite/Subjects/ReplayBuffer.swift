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
  mutating func removeAll() -> [[Element]]

  /// Returns the elements that a new observer gets first, in segments and without the stop event.
  ///
  /// It copies one segment at most, because it runs under a lock.
  func replay(hasEnded: Bool) -> [ArraySlice<Element>]
}

/// Keeps the latest element, and replays it while the subject runs.
@usableFromInline struct LatestValueBuffer<Element>: ReplayBuffer {
  @usableFromInline var latest: Element

  @inlinable init(latest: Element) {
    self.latest = latest
  }

  @inlinable mutating func record(_ event: Event<Element>) -> Element? {
    guard case .next(let element) = event else { return nil }
    return exchange(&latest, with: element)
  }

  // Keeps the element until the subject is released, because `latest` cannot be empty.
  @inlinable mutating func removeAll() -> [[Element]] { [] }

  @inlinable func replay(hasEnded: Bool) -> [ArraySlice<Element>] {
    hasEnded ? [] : [[latest]]
  }
}

/// Keeps the last `size` elements, even after the end.
///
/// The elements are in segments. While a new observer replays a copy, the next element copies one segment and
/// not the whole buffer.
@usableFromInline struct RingReplayBuffer<Element>: ReplayBuffer {
  @inlinable static var segmentSize: Int { 512 }

  @usableFromInline let size: Int
  // All segments but the last are full. The first one is separate, because most buffers are short.
  @usableFromInline var first: [Element] = []
  @usableFromInline var others: [[Element]] = []
  @usableFromInline var count = 0
  // The position of the oldest element; the next element overwrites it once the buffer is full.
  @usableFromInline var start = 0

  @inlinable init(size: Int) {
    self.size = size
  }

  @inlinable mutating func record(_ event: Event<Element>) -> Element? {
    guard case .next(let element) = event, size > 0 else { return nil }
    guard count == size else {
      if count < Self.segmentSize {
        first.append(element)
      } else {
        if count.isMultiple(of: Self.segmentSize) { others.append([]) }
        others[others.count - 1].append(element)
      }
      count += 1
      return nil
    }
    let (segment, index) = (start / Self.segmentSize, start % Self.segmentSize)
    start = start + 1 == size ? 0 : start + 1
    if segment == 0 { return exchange(&first[index], with: element) }
    return exchange(&others[segment - 1][index], with: element)
  }

  @inlinable mutating func removeAll() -> [[Element]] {
    defer { (first, others, count, start) = ([], [], 0, 0) }
    return [first] + others
  }

  @inlinable func replay(hasEnded: Bool) -> [ArraySlice<Element>] {
    if count == 0 { return [] }
    let segments = [first] + others
    let (segment, index) = (start / Self.segmentSize, start % Self.segmentSize)
    // Copies of the two parts of a segment, because a slice would keep the elements of the other part alive.
    var replay = [index == 0 ? segments[segment][...] : ArraySlice(Array(segments[segment][index...]))]
    for later in segments[(segment + 1)...] { replay.append(later[...]) }
    for earlier in segments[..<segment] { replay.append(earlier[...]) }
    if index > 0 { replay.append(ArraySlice(Array(segments[segment][..<index]))) }
    return replay
  }
}
