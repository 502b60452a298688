extension ObservableType {
  /// Forwards elements until another sequence sends an element.
  ///
  /// The other sequence is subscribed to first. Its first element completes this one, its error is forwarded,
  /// and its completion is ignored.
  ///
  /// - Parameter other: the sequence that ends this one.
  /// - Returns: the shortened sequence.
  @inlinable public func take<Source: ObservableType>(until other: Source) -> Observable<Element> {
    let source = asObservable().source
    let trigger = other.asObservable().source
    return Observable { observer in
      let output = TwoSourceOutput(observer)
      output.assignSecond(
        trigger(
          observer.calling { event in
            switch event {
            case .next: output.send(.completed)
            case .error(let error): output.send(.error(error))
            case .completed: break
            }
            if event.isStopEvent { output.disposeSecond() }
          }))
      output.assign(
        source(
          observer.calling { event in
            if event.isStopEvent { output.endSource(event) } else { output.send(event) }
          }))
      return output
    }
  }

  /// Forwards elements until one satisfies a predicate, then completes.
  ///
  /// - Parameters:
  ///   - predicate: returns `true` to complete. An error that it throws ends the sequence.
  ///   - behavior: whether the element that satisfies the predicate is sent.
  /// - Returns: the shortened sequence.
  @preconcurrency @inlinable public func take(
    until predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Observable<Element> {
    take(while: { try !predicate($0) }, behavior: behavior)
  }
}
