extension ObservableType {
  /// Transforms each element into a sequence and merges them all.
  ///
  /// Completes when the source and all inner sequences have completed; any error ends it at once. Inner
  /// sequences may send from different threads: their elements are delivered one at a time.
  ///
  /// - Parameter selector: returns the inner sequence. An error that it throws ends the sequence.
  /// - Returns: the merged sequence.
  @preconcurrency @inlinable public func flatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    flatMapping(selector)
  }

  /// `flatMap` with a closure of the library, which may capture values that are not `Sendable`.
  @inlinable @inline(__always) package func flatMapping<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeInnerSequences { mergeState in { mergeState.subscribe(try selector($0).asObservable()) } }
  }
}
