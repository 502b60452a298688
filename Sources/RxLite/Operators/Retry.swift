extension ObservableType {
  /// Subscribes again after each error, for ever.
  @inlinable public func retry() -> Observable<Element> {
    .catch(sequence: sequence(first: asObservable()) { $0 })
  }

  /// Subscribes again after an error until so many attempts have failed.
  ///
  /// - Parameter maxAttemptCount: how often to subscribe in all, the first time included; 0 or less ends at once.
  /// - Returns: the sequence: it ends with the last attempt's error.
  @inlinable public func retry(_ maxAttemptCount: Int) -> Observable<Element> {
    .catch(sequence: Swift.repeatElement(asObservable(), count: Swift.max(0, maxAttemptCount)))
  }
}
