extension ObservableType {
  /// Combines each element with an object.
  ///
  /// The sequence does not keep the object alive. The first element after the object's release completes the
  /// sequence.
  ///
  /// - Parameters:
  ///   - obj: the object.
  ///   - resultSelector: returns the result.
  /// - Returns: the sequence of results.
  @preconcurrency @inlinable public func withUnretained<Object: AnyObject, Out>(
    _ obj: Object, resultSelector: @escaping @Sendable (Object, Element) -> Out
  ) -> Observable<Out> {
    let source = asObservable().source
    return Observable { [weak obj] observer in
      // A source that sends during its subscription continues after this operator has ended the sequence.
      let end = EndedFlag()
      return source(
        observer.calling { [weak obj] event in
          if end.hasEnded { return }
          switch event {
          case .next(let element):
            if let obj { return observer.on(.next(resultSelector(obj, element))) }
            end.hasEnded = true
            observer.on(.completed)
          case .error(let error): observer.on(.error(error))
          case .completed: observer.on(.completed)
          }
        })
    }
  }

  /// Pairs each element with an object.
  ///
  /// The sequence does not keep the object alive. The first element after the object's release completes the
  /// sequence.
  @inlinable public func withUnretained<Object: AnyObject>(_ obj: Object) -> Observable<(Object, Element)> {
    withUnretained(obj) { ($0, $1) }
  }
}
