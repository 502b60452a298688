extension ObservableType {
  /// Forwards elements while they satisfy a predicate, then completes.
  ///
  /// - Parameters:
  ///   - predicate: returns `true` to continue. An error that it throws ends the sequence.
  ///   - behavior: whether the first element that does not satisfy the predicate is sent.
  /// - Returns: the shortened sequence.
  @preconcurrency @inlinable public func take(
    while predicate: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      let sink = Sink(observer)
      return source(
        observer.calling { event in
          sink.forward(event) { element in
            if try predicate(element) { return element }
            if behavior == .inclusive { sink.complete(after: element) } else { sink.complete() }
            return nil
          }
        })
    }
  }
}
