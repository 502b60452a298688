extension ObservableType {
  /// Pairs each element with its position, counted from 0.
  @inlinable public func enumerated() -> Observable<(index: Int, element: Element)> {
    let source = asObservable().source
    return Observable { observer in
      var count = 0
      return source(
        .passing(to: observer) { element in
          defer { count += 1 }
          return (index: count, element: element)
        })
    }
  }
}
