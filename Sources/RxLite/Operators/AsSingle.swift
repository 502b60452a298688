extension ObservableType {
  /// Returns the sequence as a single, which sends its one element when the sequence completes.
  ///
  /// Fails with `RxError.noElements` if there is no element, and with `RxError.moreThanOneElement` as soon as
  /// a second element arrives.
  @inlinable public func asSingle() -> Single<Element> {
    Single(raw: onlyElement(whenEmpty: .error(RxError.noElements)))
  }
}
