extension ObservableType {
  /// Sends given elements before those of the sequence.
  ///
  /// All of them are sent while the subscription is being set up, when nobody can dispose it yet; the sequence is subscribed after
  /// them.
  ///
  /// - Parameter elements: the elements.
  /// - Returns: the sequence.
  @inlinable public func startWith(_ elements: Element...) -> Observable<Element> {
    Prefixed(asObservable(), elements)
  }
}

/// A sequence behind given elements; a class of its own, so that a chain can look at what follows them.
@usableFromInline final class Prefixed<Element>: Observable<Element>, @unchecked Sendable {
  // Sendable as every sequence is.
  @usableFromInline let sequence: Observable<Element>
  @usableFromInline let elements: [Element]

  @inlinable init(_ sequence: Observable<Element>, _ elements: [Element]) {
    self.sequence = sequence
    self.elements = elements
    super.init { observer in
      for element in elements { observer.on(.next(element)) }
      return sequence.subscribeTail(observer)
    }
  }
}

extension Observable {
  /// Subscribes to the sequence that this one turns into: the last step of an operator that has nothing left to do.
  ///
  /// Deferred and prefixed sequences that turn into each other do so in a loop, so that a recursion needs no stack.
  @inlinable func subscribeTail(_ observer: AnyObserver<Element>) -> any Disposable {
    turned { observer.on(.next($0)) }.source(observer)
  }

  /// The sequence that this one turns into, once the elements before it have been sent.
  @inlinable func turned(_ send: (Element) -> Void) -> Observable<Element> {
    var sequence = self
    while true {
      if let deferral = sequence as? Deferral<Element> {
        sequence = deferral.make()
      } else if let prefixed = sequence as? Prefixed<Element> {
        for element in prefixed.elements { send(element) }
        sequence = prefixed.sequence
      } else {
        return sequence
      }
    }
  }
}
