extension PublishRelay {
  /// The relay as an infallible: it cannot fail.
  @inlinable public func asInfallible() -> Infallible<Element> {
    Infallible(asObservable())
  }
}

extension BehaviorRelay {
  /// The relay as an infallible: it cannot fail.
  @inlinable public func asInfallible() -> Infallible<Element> {
    Infallible(asObservable())
  }
}

extension ReplayRelay {
  /// The relay as an infallible: it cannot fail.
  @inlinable public func asInfallible() -> Infallible<Element> {
    Infallible(asObservable())
  }
}
