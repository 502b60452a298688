public import ReactiveNetworkLock

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
      let output = TwoSourceOutput(observer)
      let latest = Lock<Source.Element?>(nil)
      output.assignSecond(
        other(
          observer.calling { event in
            switch event {
            // The former element is released outside the lock, because that may run user code.
            case .next(let element): _ = latest.withLock { exchange(&$0, with: element) }
            case .error(let error): output.send(.error(error))
            case .completed: break
            }
            if event.isStopEvent { output.disposeSecond() }
          }))
      output.assign(
        source(
          observer.calling { event in
            switch event {
            case .next(let element):
              guard output.acceptsElements, let latest = latest.withLock({ $0 }) else { return }
              do {
                output.send(.next(try resultSelector(element, latest)))
              } catch {
                output.endSource(.error(error))
              }
            case .error(let error): output.endSource(.error(error))
            case .completed: output.endSource(.completed)
            }
          }))
      return output
    }
  }

  /// Sends the latest element of another sequence for each element of this one.
  @inlinable public func withLatestFrom<Source: ObservableConvertibleType>(
    _ second: Source
  ) -> Observable<Source.Element> {
    withLatestFrom(second) { $1 }
  }
}
