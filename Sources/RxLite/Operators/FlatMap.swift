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

  /// Transforms each element into a sequence and merges them, a limited number at a time; the others are
  /// queued without limit.
  ///
  /// The selector is called as elements arrive. Its sequence is subscribed to as soon as the limit allows.
  ///
  /// - Parameters:
  ///   - maxConcurrent: the maximum number of sequences that are subscribed to at a time; if it is 0 or less,
  ///     no sequence is subscribed to.
  ///   - selector: returns the inner sequence. An error that it throws ends the sequence.
  /// - Returns: the merged sequence. It ends when the source and all inner sequences have completed, or with
  ///   the first error; if no inner sequence is subscribed to, it ends with the source.
  @preconcurrency @inlinable public func flatMap<Source: ObservableConvertibleType>(
    maxConcurrent: Int, _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeLimited(maxConcurrent, selector)
  }

  /// `flatMap` with a closure of the library, which may capture values that are not `Sendable`.
  @inlinable @inline(__always) package func flatMapping<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeInnerSequences { mergeState in { mergeState.subscribe(try selector($0).asObservable()) } }
  }
}
