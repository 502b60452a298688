extension PublishRelay {
  /// Returns the relay as an `Infallible`.
  @inlinable public func asInfallible() -> Infallible<Element> {
    Infallible(asObservable())
  }
}

extension BehaviorRelay {
  /// Returns the relay as an `Infallible`.
  @inlinable public func asInfallible() -> Infallible<Element> {
    Infallible(asObservable())
  }
}

extension ReplayRelay {
  /// Returns the relay as an `Infallible`.
  @inlinable public func asInfallible() -> Infallible<Element> {
    Infallible(asObservable())
  }
}
