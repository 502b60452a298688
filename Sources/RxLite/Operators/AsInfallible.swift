extension ObservableConvertibleType {
  /// Returns the sequence as an infallible that ends with a given element if this sequence fails.
  @inlinable public func asInfallible(onErrorJustReturn element: Element) -> Infallible<Element> {
    Infallible(asObservable().catchAndReturn(element))
  }

  /// Returns the sequence as an infallible that continues with another one if this sequence fails.
  @inlinable public func asInfallible(
    onErrorFallbackTo infallible: Infallible<Element>
  ) -> Infallible<Element> {
    Infallible(asObservable().catch { _ in infallible.source })
  }

  /// Returns the sequence as an infallible that continues with one made from the error if this sequence
  /// fails.
  ///
  /// - Parameter onErrorRecover: returns the infallible to continue with.
  /// - Returns: the infallible.
  @preconcurrency @inlinable public func asInfallible(
    onErrorRecover: @escaping @Sendable (any Error) -> Infallible<Element>
  ) -> Infallible<Element> {
    Infallible(asObservable().catch { onErrorRecover($0).source })
  }
}
