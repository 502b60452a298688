extension Observable {
  /// Follows this sequence, and then another one, which a closure returns for the stop event.
  ///
  /// The other one is subscribed to at the stop event, before this one is disposed.
  ///
  /// - Parameter makeNext: returns the other sequence, or `nil` to forward the stop event. An error that it
  ///   throws ends the sequence.
  /// - Returns: the sequence.
  @inlinable func followed(
    by makeNext: @escaping (Event<Element>) throws -> Observable<Element>?
  ) -> Observable<Element> {
    let source = source
    return Observable { observer in
      let hasEnded = Box(false)
      let current = SerialDisposable()
      let first = SingleAssignmentDisposable()
      current.disposable = first
      first.setDisposable(
        source(
          observer.calling { event in
            if hasEnded.value { return }
            guard event.isStopEvent else { return observer.on(event) }
            hasEnded.value = true
            // The closure of a former operator may have disposed the sequence.
            if current.isDisposed { return }
            do {
              guard let next = try makeNext(event) else { return observer.on(event) }
              next.runInTrampolineIfNeeded { current.disposable = next.source(observer) }
            } catch {
              observer.on(.error(error))
            }
          }))
      return current
    }
  }
}
