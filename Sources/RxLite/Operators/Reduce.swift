extension ObservableType {
  /// Accumulates the elements and sends the result on completion.
  ///
  /// - Parameters:
  ///   - seed: the initial value of each subscription, and the result if there are no elements.
  ///   - accumulator: returns the next value for the previous one and an element. An error that it throws
  ///     ends the sequence.
  ///   - mapResult: returns the element to send for the final value. An error that it throws ends the
  ///     sequence.
  /// - Returns: a sequence of one element.
  @preconcurrency @inlinable public func reduce<A, Result>(
    _ seed: A, accumulator: @escaping @Sendable (A, Element) throws -> A,
    mapResult: @escaping @Sendable (A) throws -> Result
  ) -> Observable<Result> {
    let source = asObservable().source
    return Observable { observer in
      var result = seed
      let sink = Sink(observer)
      return source(
        observer.calling { event in
          sink.receive(event) {
            result = try accumulator(result, $0)
          } completed: {
            sink.complete(after: try mapResult(result))
          }
        })
    }
  }

  /// Accumulates the elements and sends the result on completion.
  ///
  /// - Parameters:
  ///   - seed: the initial value of each subscription, and the result if there are no elements.
  ///   - accumulator: returns the next value for the previous one and an element. An error that it throws
  ///     ends the sequence.
  /// - Returns: a sequence of one element.
  @preconcurrency @inlinable public func reduce<A>(
    _ seed: A, accumulator: @escaping @Sendable (A, Element) throws -> A
  ) -> Observable<A> {
    reduce(seed, accumulator: accumulator, mapResult: { $0 })
  }
}
