extension ObservableType {
  /// Drops elements until another sequence sends an element.
  ///
  /// - Parameter other: its first element starts the forwarding, its error ends the sequence, its completion
  ///   is ignored.
  /// - Returns: the rest of the sequence. If this sequence completes first, no stop event is sent.
  @inlinable public func skip<Source: ObservableType>(until other: Source) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      let output = SerializedCombiner<Event<Element>, Element>(observer) { $0 }
      let isOpen = AtomicFlag()
      let hasEnded = BooleanDisposable()
      let upstream = SingleAssignmentDisposable()
      let trigger = SingleAssignmentDisposable()
      let both = Disposables.create(hasEnded, upstream, trigger)
      upstream.setDisposable(
        source(
          observer.calling { event in
            switch event {
            case .next: if isOpen.isSet { output.send(event) }
            case .error:
              output.send(event)
              upstream.dispose()
            // Completion before the trigger is not forwarded: the sequence stays silent.
            case .completed: if isOpen.isSet { output.send(event) } else { both.dispose() }
            }
          }))
      trigger.setDisposable(
        other.asObservable().source(
          observer.calling { event in
            switch event {
            case .next:
              isOpen.set()
              trigger.dispose()
            // The source may have completed before the other sequence was subscribed to.
            case .error(let error):
              if !hasEnded.isDisposed { output.send(.error(error)) }
              trigger.dispose()
            case .completed: trigger.dispose()
            }
          }))
      return both
    }
  }
}
