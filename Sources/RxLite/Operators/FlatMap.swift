extension ObservableType {
  /// Makes a sequence of each element and merges them all.
  ///
  /// Ends when the source and all inner sequences have ended; any error ends it at once. Inner sequences may
  /// send from different threads: their elements are delivered one after the other.
  ///
  /// - Parameter selector: makes the inner sequence; what it throws ends the sequence with that error.
  /// - Returns: the merged sequence.
  @inlinable public func flatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    flowTogether { confluence in { confluence.subscribe(try selector($0).asObservable()) } }
  }
}
