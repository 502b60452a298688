extension ObservableType {
  /// Passes elements while the latest element of another sequence is `true`, and drops the others.
  ///
  /// - Parameter pauser: `true` lets elements pass and `false` drops them, as does the time before its first element. Its error
  ///   ends the sequence; behind its completion, its last element counts. Subscribed before this sequence.
  /// - Returns: the sequence of what passes; it ends when this one does.
  @inlinable public func pausable<Pauser: ObservableConvertibleType>(
    _ pauser: Pauser
  ) -> Observable<Element> where Pauser.Element == Bool {
    withLatestFrom(pauser) { element, passes in passes ? .some(element) : Element?.none }.unwrap()
  }
}

extension InfallibleType {
  /// Passes elements while the latest element of another infallible is `true`, and drops the others.
  ///
  /// - Parameter pauser: `true` lets elements pass and `false` drops them, as does the time before its first element.
  /// - Returns: the infallible of what passes; it ends when this one does.
  @inlinable public func pausable<Pauser: InfallibleType>(
    _ pauser: Pauser
  ) -> Infallible<Element> where Pauser.Element == Bool {
    Infallible(asObservable().pausable(pauser))
  }
}
