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
      let remaining = Box(count)
      return source(
        observer.calling { event in
          guard remaining.value > 0 else { return }
          guard case .next = event else { return observer.on(event) }
          // Counted before the delivery: the observer may make the source send again.
          remaining.value -= 1
          let isLast = remaining.value == 0
          observer.on(event)
          if isLast { observer.on(.completed) }
        })
    }
  }
}
