extension ObservableType {
  /// Forwards the element at a position, then completes.
  ///
  /// - Parameter index: the position, counted from 0.
  /// - Returns: a sequence of that element; it fails with `RxError.argumentOutOfRange` if the source has too
  ///   few elements.
  /// - Precondition: `index >= 0`.
  @inlinable public func element(at index: Int) -> Observable<Element> {
    precondition(index >= 0, "index is negative: \(index)")
    let source = asObservable().source
    return Observable { observer in
      let sink = CountingSink(observer, remaining: index)
      return source(
        observer.calling { event in
          sink.receive(event) { element in
            if sink.remaining == 0 { return sink.complete(after: element) }
            sink.remaining -= 1
          } completed: {
            throw RxError.argumentOutOfRange
          }
        })
    }
  }
}
