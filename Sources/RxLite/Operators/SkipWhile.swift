extension ObservableType {
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
        observer.calling { event in
          sink.forward(event) { element in
            if isSkipping.value { isSkipping.value = try predicate(element) }
            return isSkipping.value ? nil : .some(element)
          }
        })
    }
  }
}
