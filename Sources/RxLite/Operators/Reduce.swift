extension ObservableType {
  /// Accumulates the elements and sends the result at the end.
  ///
  /// - Parameters:
  ///   - seed: where each subscription starts, and the result where there are no elements.
  ///   - accumulator: makes the next result of the last one and an element; what it throws ends the sequence with that error.
  ///   - mapResult: makes the element to send of the last result; what it throws ends the sequence with that error.
  /// - Returns: a sequence of one element.
  @inlinable public func reduce<A, Result>(
    _ seed: A, accumulator: @escaping (A, Element) throws -> A, mapResult: @escaping (A) throws -> Result
  ) -> Observable<Result> {
    let source = asObservable().source
    return Observable { observer in
      var result = seed
      // A source that sends while it is being subscribed goes on after an error of ours.
      let end = EndMark()
      return source(
        AnyObserver { event in
          if end.isReached { return }
          do {
            switch event {
            case .next(let element): result = try accumulator(result, element)
            case .error(let error): observer.on(.error(error))
            case .completed:
              observer.on(.next(try mapResult(result)))
              observer.on(.completed)
            }
          } catch {
            end.isReached = true
            observer.on(.error(error))
          }
        })
    }
  }

  /// Accumulates the elements and sends the result at the end.
  ///
  /// - Parameters:
  ///   - seed: where each subscription starts, and the result where there are no elements.
  ///   - accumulator: makes the next result of the last one and an element; what it throws ends the sequence with that error.
  /// - Returns: a sequence of one element.
  @inlinable public func reduce<A>(
    _ seed: A, accumulator: @escaping (A, Element) throws -> A
  ) -> Observable<A> {
    reduce(seed, accumulator: accumulator, mapResult: { $0 })
  }
}
