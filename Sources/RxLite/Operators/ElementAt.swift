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
      var remaining: Int? = index
      return source(
        observer.calling { event in
          guard let left = remaining else { return }
          switch event {
          case .next where left > 0: remaining = left - 1
          case .next:
            // Updated before the delivery: the observer may make the source send again.
            remaining = nil
            observer.on(event)
            observer.on(.completed)
          case .error: observer.on(event)
          case .completed: observer.on(.error(RxError.argumentOutOfRange))
          }
        })
    }
  }
}
