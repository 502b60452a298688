extension ObservableType {
  /// Transforms each element and drops those that become `nil`.
  ///
  /// - Parameter transform: returns the new element or `nil`. An error that it throws ends the sequence.
  /// - Returns: the transformed sequence.
  @preconcurrency @inlinable public func compactMap<Result>(
    _ transform: @escaping @Sendable (Element) throws -> Result?
  ) -> Observable<Result> {
    compactMapping(transform)
  }

  /// `compactMap` with a closure of the library, which may capture values that are not `Sendable`.
  @inlinable @inline(__always) package func compactMapping<Result>(
    _ transform: @escaping (Element) throws -> Result?
  ) -> Observable<Result> {
    let source = asObservable().source
    return Observable { observer in
      let sink = Sink(observer)
      return source(observer.calling { sink.forward($0, transform) })
    }
  }
}
