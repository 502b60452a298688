extension ObservableType {
  /// Forwards the last elements, all at once when the sequence completes.
  ///
  /// At most `count` elements are held. An error drops them; disposal during their delivery drops the rest.
  ///
  /// - Parameter count: the number of elements.
  /// - Returns: the last elements of the sequence.
  /// - Precondition: `count >= 0`.
  @inlinable public func takeLast(_ count: Int) -> Observable<Element> {
    precondition(count >= 0, "count is negative: \(count)")
    let source = asObservable().source
    return Observable { observer in
      var last = RingReplayBuffer<Element>(size: count)
      let upstream = SingleAssignmentDisposable()
      upstream.setDisposable(
        source(
          observer.calling { event in
            switch event {
            case .next: _ = last.record(event)
            case .error:
              _ = last.removeAll()
              observer.on(event)
            case .completed:
              var events = InitialEvents(last.replay(hasEnded: true), end: event)
              _ = last.removeAll()
              while !upstream.isDisposed, let event = events.popFirst() { observer.on(event) }
            }
          }))
      return upstream
    }
  }
}
