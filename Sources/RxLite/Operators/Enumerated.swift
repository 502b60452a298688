extension ObservableType {
  /// Pairs each element with its position, counted from 0.
  @inlinable public func enumerated() -> Observable<(index: Int, element: Element)> {
    let source = asObservable().source
    return Observable { observer in
      let sink = Sink(observer)
      let count = Box(0)
      return source(
        observer.calling { event in
          sink.forward(event) { element in
            defer { count.value += 1 }
            return (index: count.value, element: element)
          }
        })
    }
  }
}
