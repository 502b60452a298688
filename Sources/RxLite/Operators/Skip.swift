extension ObservableType {
  /// Drops the first elements.
  ///
  /// - Parameter count: the number of elements; 0 or less drops none.
  /// - Returns: the rest of the sequence.
  @inlinable public func skip(_ count: Int) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      let remaining = Box(count)
      return source(
        AnyObserver.calling { event in
          if case .next = event, remaining.value > 0 {
            remaining.value -= 1
          } else {
            observer.on(event)
          }
        })
    }
  }

  /// Drops elements while they satisfy a predicate.
  ///
  /// - Parameter predicate: returns `true` to drop an element; not called again after it has returned
  ///   `false`. An error that it throws ends the sequence.
  /// - Returns: the rest of the sequence.
  @preconcurrency @inlinable public func skip(while predicate: @escaping @Sendable (Element) throws -> Bool)
    -> Observable<Element>
  {
    let source = asObservable().source
    return Observable { observer in
      let sink = Sink(observer)
      let isSkipping = Box(true)
      return source(
        AnyObserver.calling { event in
          sink.pass(event) { element in
            if isSkipping.value { isSkipping.value = try predicate(element) }
            return isSkipping.value ? nil : .some(element)
          }
        })
    }
  }
}
