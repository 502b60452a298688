extension ObservableType {
  /// Returns the sequence as a maybe, which sends its one element, if any, when the sequence completes.
  ///
  /// Fails with `RxError.moreThanOneElement` as soon as a second element arrives.
  @inlinable public func asMaybe() -> Maybe<Element> {
    Maybe(raw: onlyElement(whenEmpty: .completed))
  }
}
