extension ObservableType {
  /// Drops elements until another sequence sends an element.
  ///
  /// - Parameter other: its first element starts the forwarding, its error ends the sequence, its completion
  ///   is ignored.
  /// - Returns: the rest of the sequence. If this sequence completes first, no stop event is sent.
  @inlinable public func skip<Source: ObservableType>(until other: Source) -> Observable<Element> {
    let source = asObservable().source
    let trigger = other.asObservable().source
    return Observable { observer in
      let output = TwoSourceOutput(observer)
      let isOpen = AtomicFlag()
      output.assign(
        source(
          observer.calling { event in
            switch event {
            case .next: if isOpen.isSet { output.send(event) }
            case .error: output.endSource(event)
            // Completion before the trigger is not forwarded: the sequence stays silent.
            case .completed: if isOpen.isSet { output.send(event) } else { output.dispose() }
            }
          }))
      output.assignSecond(
        trigger(
          observer.calling { event in
            switch event {
            case .next: isOpen.set()
            case .error(let error): output.send(.error(error))
            case .completed: break
            }
            output.disposeSecond()
          }))
      return output
    }
  }
}
