extension ObservableType {
  /// Returns a connectable sequence that replays the last elements to later observers.
  ///
  /// - Parameter bufferSize: the number of elements; 0 or more.
  /// - Returns: the sequence; each connection has a new `ReplaySubject`.
  @inlinable public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
    multicasting { ReplaySubject.create(bufferSize: bufferSize) }
  }

  /// Returns a connectable sequence that replays all elements to later observers.
  ///
  /// - Returns: the sequence; each connection has a new `ReplaySubject`.
  @inlinable public func replayAll() -> ConnectableObservable<Element> {
    multicasting { ReplaySubject.createUnbounded() }
  }
}
