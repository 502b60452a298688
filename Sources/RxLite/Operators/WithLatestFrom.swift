extension ObservableType {
  /// Pairs each element with the latest element of another sequence.
  ///
  /// - Parameters:
  ///   - second: the other sequence. Until it has sent an element, the elements of this one are dropped. Its
  ///     error ends the sequence.
  ///   - resultSelector: returns the result. An error that it throws ends the sequence.
  /// - Returns: the sequence of results, which ends when this one does.
  @preconcurrency @inlinable public func withLatestFrom<Source: ObservableConvertibleType, ResultType>(
    _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) throws -> ResultType
  ) -> Observable<ResultType> {
    let source = asObservable().source
    let other = second.asObservable().source
    return Observable { observer in
      var latest: Source.Element?
      let combiner = SerializedCombiner<EitherSourceEvent<Element, Source.Element>, ResultType>(observer) {
        message in
        switch message {
        case .first(let event):
          if case .next = event, latest == nil { return nil }
          return event.map { element in
            guard let latest else { throw RxError.noElements }
            return try resultSelector(element, latest)
          }
        case .second(.next(let element)):
          latest = element
          return nil
        case .second(.error(let error)): return .error(error)
        case .second(.completed): return nil
        }
      }
      let secondSubscription = SingleAssignmentDisposable()
      secondSubscription.setDisposable(
        other(
          observer.calling { event in
            if !event.isCompleted { combiner.send(.second(event)) }
            if event.isStopEvent { secondSubscription.dispose() }
          }))
      let firstSubscription = SingleAssignmentDisposable()
      firstSubscription.setDisposable(
        source(
          observer.calling { event in
            combiner.send(.first(event))
            if event.isStopEvent { firstSubscription.dispose() }
          }))
      return Disposables.create(firstSubscription, secondSubscription)
    }
  }

  /// Sends the latest element of another sequence for each element of this one.
  @inlinable public func withLatestFrom<Source: ObservableConvertibleType>(
    _ second: Source
  ) -> Observable<Source.Element> {
    withLatestFrom(second) { $1 }
  }
}
