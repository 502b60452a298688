extension ObservableType {
  /// Transforms each element and drops those that become `nil`.
  ///
  /// - Parameter transform: returns the new element or `nil`. An error that it throws ends the sequence.
  /// - Returns: the transformed sequence.
  @inlinable public func compactMap<Result>(
    _ transform: @escaping (Element) throws -> Result?
  ) -> Observable<Result> {
    let source = asObservable().source
    return Observable { observer in
      let sink = Sink(observer)
      return source(AnyObserver { sink.pass($0, transform) })
    }
  }
}
