/// Whether the element that ends a sequence is its last or is left out.
public enum TakeBehavior: Sendable {
  /// The element is sent.
  case inclusive
  /// The element is left out.
  case exclusive
}

extension ObservableType {
  /// Passes elements as long as they satisfy a predicate, then ends.
  ///
  /// - Parameters:
  ///   - predicate: tells whether to go on; what it throws ends the sequence with that error.
  ///   - behavior: whether the first element that does not satisfy it is sent.
  /// - Returns: the shortened sequence.
  @inlinable public func take(
    while predicate: @escaping (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      var isTaking = true
      return source(
        AnyObserver { event in
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

  /// Passes elements until one satisfies a predicate, then ends.
  ///
  /// - Parameters:
  ///   - predicate: tells whether to end; what it throws ends the sequence with that error.
  ///   - behavior: whether the element that satisfies it is sent.
  /// - Returns: the shortened sequence.
  @inlinable public func take(
    until predicate: @escaping (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
  ) -> Observable<Element> {
    take(while: { try !predicate($0) }, behavior: behavior)
  }
}
