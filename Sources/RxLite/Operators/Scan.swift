extension ObservableType {
  /// Accumulates the elements and sends each intermediate result.
  ///
  /// - Parameters:
  ///   - seed: where each subscription starts; copied for it.
  ///   - accumulator: changes the result by an element; what it throws ends the sequence with that error.
  /// - Returns: the sequence of results.
  @inlinable public func scan<A>(
    into seed: A, accumulator: @escaping (inout A, Element) throws -> Void
  ) -> Observable<A> {
    let source = asObservable().source
    return Observable { observer in
      let sink = Sink(observer)
      let result = Box(seed)
      return source(
        AnyObserver { event in
          sink.pass(event) { element in
            try accumulator(&result.value, element)
            return .some(result.value)
          }
        })
    }
  }

  /// Accumulates the elements and sends each intermediate result.
  ///
  /// - Parameters:
  ///   - seed: where each subscription starts.
  ///   - accumulator: makes the next result of the last one and an element; what it throws ends the
  ///     sequence with that error.
  /// - Returns: the sequence of results.
  @inlinable public func scan<A>(
    _ seed: A, accumulator: @escaping (A, Element) throws -> A
  ) -> Observable<A> {
    scan(into: seed) { result, element in result = try accumulator(result, element) }
  }
}
