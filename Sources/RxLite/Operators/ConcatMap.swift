extension ObservableType {
  /// Transforms each element into a sequence, and concatenates these sequences.
  ///
  /// The selector is called as elements arrive. Its sequence is subscribed to after the previous one has
  /// completed.
  ///
  /// - Parameter selector: returns the inner sequence. An error that it throws ends the sequence.
  /// - Returns: the elements of the inner sequences, in the order of the source's elements.
  @preconcurrency @inlinable public func concatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeLimited(1, selector)
  }
}
