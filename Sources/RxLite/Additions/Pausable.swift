extension ObservableType {
  /// Forwards elements while the latest element of another sequence is `true`, and drops the others.
  ///
  /// - Parameter pauser: `true` forwards elements and `false` drops them. Before its first element, elements
  ///   are dropped. Its error ends the sequence; after its completion its last element remains in effect. It
  ///   is subscribed to before this sequence.
  /// - Returns: the forwarded elements. The sequence ends when this one does.
  @inlinable public func pausable<Pauser: ObservableConvertibleType>(
    _ pauser: Pauser
  ) -> Observable<Element> where Pauser.Element == Bool {
    withLatestFrom(pauser) { element, passes in passes ? .some(element) : Element?.none }.unwrap()
  }
}

extension InfallibleType {
  /// Forwards elements while the latest element of another infallible is `true`, and drops the others.
  ///
  /// - Parameter pauser: `true` forwards elements and `false` drops them. Before its first element, elements
  ///   are dropped.
  /// - Returns: the forwarded elements. The sequence completes when this one does.
  @inlinable public func pausable<Pauser: InfallibleType>(
    _ pauser: Pauser
  ) -> Infallible<Element> where Pauser.Element == Bool {
    Infallible(asObservable().pausable(pauser))
  }
}
