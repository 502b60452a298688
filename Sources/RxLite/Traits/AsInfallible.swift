extension ObservableConvertibleType {
  /// The sequence as an infallible, which sends a given element where this fails and ends.
  @inlinable public func asInfallible(onErrorJustReturn element: Element) -> Infallible<Element> {
    Infallible(asObservable().catchAndReturn(element))
  }

  /// The sequence as an infallible, which continues with another one where this fails.
  @inlinable public func asInfallible(
    onErrorFallbackTo infallible: Infallible<Element>
  ) -> Infallible<Element> {
    Infallible(asObservable().catch { _ in infallible.source })
  }

  /// The sequence as an infallible, which continues with one made of the error where this fails.
  ///
  /// - Parameter onErrorRecover: makes the infallible to continue with.
  /// - Returns: the infallible.
  @inlinable public func asInfallible(
    onErrorRecover: @escaping (any Error) -> Infallible<Element>
  ) -> Infallible<Element> {
    Infallible(asObservable().catch { onErrorRecover($0).source })
  }
}
