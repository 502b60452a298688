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
      var isTaking = true
      return source(
        observer.calling { event in
          guard isTaking else { return }
          guard case .next(let element) = event else { return observer.on(event) }
          do {
            isTaking = try predicate(element)
            if isTaking || behavior == .inclusive { observer.on(event) }
            if !isTaking { observer.on(.completed) }
          } catch {
            isTaking = false
            observer.on(.error(error))
          }
        })
    }
  }
}
