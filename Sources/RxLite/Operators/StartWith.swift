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
/// It is a separate class, so that a chain can inspect the sequence after them.
@usableFromInline final class StartWithObservable<Element>: Observable<Element>, @unchecked Sendable {
  // Sendable as every sequence is.
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
@usableFromInline final class StartWithParts<Element>: @unchecked Sendable {
  // Sendable as the sequence is.
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

extension Observable {
  /// Subscribes to the sequence that this one resolves to, as the last step of an operator that has no work
  /// left.
  ///
  /// Deferred and prefixed sequences that contain each other are resolved in a loop, so that recursion does
  /// not grow the stack.
  @inlinable func subscribeTail(_ observer: AnyObserver<Element>) -> any Disposable {
    let sequence = resolved {
      observer.on(.next($0))
      return true
    }
    return sequence?.source(observer) ?? Disposables.create()
  }

  /// Sends the leading elements of this sequence, and returns the sequence after them.
  ///
  /// - Parameter send: sends an element; returns `true` to continue.
  /// - Returns: the sequence; `nil` if `send` has returned `false`.
  @inlinable func resolved(_ send: (Element) -> Bool) -> Observable<Element>? {
    var sequence: Observable? = self
    while let current = sequence {
      if let deferral = current as? DeferredObservable<Element> {
        sequence = deferral.make()
      } else if let prefixed = current as? StartWithObservable<Element> {
        for element in prefixed.parts.elements where !send(element) { return nil }
        sequence = prefixed.parts.sequence
      } else {
        return current
      }
    }
    return nil
  }
}
