extension ObservableType {
  /// Forwards the elements that satisfy a predicate.
  ///
  /// - Parameter predicate: returns `true` to forward an element. An error that it throws ends the sequence.
  /// - Returns: the filtered sequence.
  @preconcurrency @inlinable public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool)
    -> Observable<Element>
  {
    let source = asObservable().source
    return Observable { observer in
      let sink = FilterSink(observer, predicate)
      return source(observer.calling { sink.on($0) })
    }
  }
}

/// The state of a subscription of `filter`, in one object.
@usableFromInline final class FilterSink<Element>: Sink<Element> {
  @usableFromInline let predicate: (Element) throws -> Bool

  @inlinable init(_ observer: AnyObserver<Element>, _ predicate: @escaping (Element) throws -> Bool) {
    self.predicate = predicate
    super.init(observer)
  }

  @inlinable @inline(__always) func on(_ event: Event<Element>) {
    forward(event) { try predicate($0) ? .some($0) : nil }
  }
}
