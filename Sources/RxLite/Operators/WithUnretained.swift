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
      let sink = Sink(observer)
      return source(
        observer.calling { [weak obj] event in
          sink.forward(event) { element in
            if let obj { return resultSelector(obj, element) }
            sink.complete()
            return nil
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
