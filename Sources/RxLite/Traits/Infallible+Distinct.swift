// The closures of this file throw in form only, as in `Observable`: what they throw ends the sequence with an error that
// its subscribers do not expect and that goes to `Hooks.defaultErrorHandler`.

extension InfallibleType {
  /// Leaves out elements equal to the one before.
  @inlinable public func distinctUntilChanged() -> Infallible<Element> where Element: Equatable {
    Infallible(asObservable().distinctUntilChanged())
  }

  /// Leaves out elements whose key equals the one before.
  @inlinable public func distinctUntilChanged<Key: Equatable>(
    _ keySelector: @escaping (Element) throws -> Key
  ) -> Infallible<Element> {
    Infallible(asObservable().distinctUntilChanged(keySelector))
  }

  /// Leaves out elements that compare equal to the one before.
  @inlinable public func distinctUntilChanged(
    _ comparer: @escaping (Element, Element) throws -> Bool
  ) -> Infallible<Element> {
    Infallible(asObservable().distinctUntilChanged(comparer))
  }

  /// Leaves out elements whose key compares equal to the one before.
  @inlinable public func distinctUntilChanged<K>(
    _ keySelector: @escaping (Element) throws -> K, comparer: @escaping (K, K) throws -> Bool
  ) -> Infallible<Element> {
    Infallible(asObservable().distinctUntilChanged(keySelector, comparer: comparer))
  }

  /// Leaves out elements whose property equals the one before.
  @inlinable public func distinctUntilChanged<Property: Equatable>(
    at keyPath: KeyPath<Element, Property>
  ) -> Infallible<Element> {
    Infallible(asObservable().distinctUntilChanged(at: keyPath))
  }
}
