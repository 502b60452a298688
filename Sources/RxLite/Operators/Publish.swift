extension ObservableType {
  /// Returns a connectable sequence that sends elements to its observers while it is connected.
  ///
  /// - Returns: the sequence; each connection has a new `PublishSubject`.
  @inlinable public func publish() -> ConnectableObservable<Element> {
    multicasting { PublishSubject() }
  }
}
