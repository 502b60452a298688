extension ObservableType where Element: EventConvertible {
  /// Sends the elements of the `next` events and drops the other events.
  ///
  /// After `materialize()`, an error of the source is dropped here and appears in `errors()`.
  ///
  /// - Returns: the sequence of elements; it ends when this one does.
  @inlinable public func elements() -> Observable<Element.Element> {
    compactMapping { $0.event.element }
  }
}
