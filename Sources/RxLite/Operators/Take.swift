extension ObservableType {
  /// Forwards the first elements, then completes.
  ///
  /// - Parameter count: the number of elements; 0 completes at once without subscribing.
  /// - Returns: the shortened sequence.
  /// - Precondition: `count >= 0`.
  @inlinable public func take(_ count: Int) -> Observable<Element> {
    precondition(count >= 0, "count is negative: \(count)")
    guard count > 0 else { return .empty() }
    let source = asObservable().source
    return Observable { observer in
      let sink = CountingSink(observer, remaining: count)
      return source(
        observer.calling { event in
          sink.forward(event) { element in
            sink.remaining -= 1
            if sink.remaining > 0 { return element }
            sink.complete(after: element)
            return nil
          }
        })
    }
  }
}
