extension ObservableType where Element: EventConvertible {
  /// Sends the errors of the `error` events, as elements, and drops the other events.
  ///
  /// - Returns: the sequence of errors; it ends when this one does.
  @inlinable public func errors() -> Observable<any Error> {
    compactMapping { $0.event.error }
  }
}
