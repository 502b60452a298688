/// The events that a new observer of a subject gets first.
@usableFromInline struct InitialEvents<Element> {
  // In reverse order, so that `popLast()` removes each segment and each element, which are released after
  // their delivery.
  @usableFromInline var segments: [ArraySlice<Element>]
  @usableFromInline var current: [Element] = []
  @usableFromInline var end: Event<Element>?

  /// Creates the events.
  ///
  /// - Parameters:
  ///   - segments: the elements, which are copied one segment at a time.
  ///   - end: the stop event, if there is one.
  @inlinable init(_ segments: [ArraySlice<Element>], end: Event<Element>?) {
    self.segments = segments
    self.end = end
    self.segments.reverse()
  }

  @inlinable mutating func popFirst() -> Event<Element>? {
    if current.isEmpty, let segment = segments.popLast() { current = segment.reversed() }
    return current.popLast().map { .next($0) } ?? end.take()
  }
}
