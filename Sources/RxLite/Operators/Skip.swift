extension ObservableType {
  /// Leaves out the first elements.
  ///
  /// - Parameter count: how many; 0 or less leaves out none.
  /// - Returns: the rest of the sequence.
  @inlinable public func skip(_ count: Int) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      let remaining = Box(count)
      return source(
        AnyObserver { event in
          if case .next = event, remaining.value > 0 {
            remaining.value -= 1
          } else {
            observer.on(event)
          }
        })
    }
  }

  /// Leaves out elements as long as they satisfy a predicate.
  ///
  /// - Parameter predicate: tells whether to leave out; not asked again once it said no. What it throws ends the
  ///   sequence with that error.
  /// - Returns: the rest of the sequence.
  @inlinable public func skip(while predicate: @escaping (Element) throws -> Bool) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      let sink = Sink(observer)
      let isSkipping = Box(true)
      return source(
        AnyObserver { event in
          sink.pass(event) { element in
            if isSkipping.value { isSkipping.value = try predicate(element) }
            return isSkipping.value ? nil : .some(element)
          }
        })
    }
  }
}
