extension ObservableType {
  /// Accumulates the elements and sends each intermediate result.
  ///
  /// - Parameters:
  ///   - seed: the initial value of each subscription, which gets a copy.
  ///   - accumulator: updates the result with an element. An error that it throws ends the sequence.
  /// - Returns: the sequence of results.
  @preconcurrency @inlinable public func scan<A>(
    into seed: A, accumulator: @escaping @Sendable (inout A, Element) throws -> Void
  ) -> Observable<A> {
    let source = asObservable().source
    return Observable { observer in
      let sink = Sink(observer)
      let result = Box(seed)
      return source(
        observer.calling { event in
          sink.forward(event) { element in
            try accumulator(&result.value, element)
            return .some(result.value)
          }
        })
    }
  }

  /// Accumulates the elements and sends each intermediate result.
  ///
  /// - Parameters:
  ///   - seed: the initial value of each subscription.
  ///   - accumulator: returns the next result for the previous one and an element. An error that it throws
  ///     ends the sequence.
  /// - Returns: the sequence of results.
  @preconcurrency @inlinable public func scan<A>(
    _ seed: A, accumulator: @escaping @Sendable (A, Element) throws -> A
  ) -> Observable<A> {
    scan(into: seed) { result, element in result = try accumulator(result, element) }
  }
}
