extension ObservableType {
  /// Sends given elements before the elements of the sequence.
  ///
  /// All of them are sent during the subscription, and the sequence is subscribed to afterwards. Disposal
  /// stops the given elements only if this sequence follows another one, as in a `concat` or `retry`.
  ///
  /// - Parameter elements: the elements.
  /// - Returns: the sequence.
  @inlinable public func startWith(_ elements: Element...) -> Observable<Element> {
    StartWithObservable(asObservable(), elements)
  }
}

/// A sequence with leading elements.
///
/// It is a separate class, so that a `SequentialObservable` can inspect the sequence after them.
@usableFromInline final class StartWithObservable<Element>: Observable<Element>, @unchecked Sendable {
  // Sendable, like every sequence.
  @usableFromInline let parts: StartWithParts<Element>

  @inlinable init(_ sequence: Observable<Element>, _ elements: [Element]) {
    let parts = StartWithParts(elements, sequence)
    self.parts = parts
    super.init { observer in
      for element in parts.elements { observer.on(.next(element)) }
      return parts.sequence?.subscribeTail(observer) ?? Disposables.create()
    }
  }
}

/// The parts of a prefixed sequence.
///
/// Nested prefixed sequences are released in a loop.
@usableFromInline final class StartWithParts<Element> {
  @usableFromInline let elements: [Element]
  // Changes only when the object is released.
  @usableFromInline var sequence: Observable<Element>?

  @inlinable init(_ elements: [Element], _ sequence: Observable<Element>) {
    self.elements = elements
    self.sequence = sequence
  }

  @usableFromInline deinit {
    Trampoline.release({ sequence = nil }, orKeep: { sequence.take() as Any })
  }
}
