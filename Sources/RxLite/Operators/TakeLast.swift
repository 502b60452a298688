extension ObservableType {
  /// Passes the last elements, all at once when the sequence ends.
  ///
  /// So many elements are held at most; an error drops them, and disposal in their midst those that were not sent.
  ///
  /// - Parameter count: how many.
  /// - Returns: the end of the sequence.
  /// - Precondition: `count >= 0`.
  @inlinable public func takeLast(_ count: Int) -> Observable<Element> {
    precondition(count >= 0, "count is negative: \(count)")
    let source = asObservable().source
    return Observable { observer in
      var last = BufferMemory<Element>(size: count)
      let upstream = SingleAssignmentDisposable()
      upstream.setDisposable(
        source(
          AnyObserver { event in
            switch event {
            case .next: _ = last.record(event)
            case .error: observer.on(event)
            case .completed:
              var elements = last.replay(isStopped: true)
              _ = last.forget()
              // The oldest becomes the last one, so that each is released once it is delivered.
              elements.reverse()
              while let element = elements.popLast() {
                if upstream.isDisposed { return }
                observer.on(.next(element))
              }
              observer.on(.completed)
            }
          }))
      return upstream
    }
  }
}
