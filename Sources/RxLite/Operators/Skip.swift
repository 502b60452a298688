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
        observer.calling { event in
          if case .next = event, remaining.value > 0 {
            remaining.value -= 1
          } else {
            observer.on(event)
          }
        })
    }
  }
}
