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
