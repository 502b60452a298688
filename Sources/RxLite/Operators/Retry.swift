extension ObservableType {
  /// Subscribes again after each error, without a limit.
  @inlinable public func retry() -> Observable<Element> {
    .catch(sequence: sequence(first: asObservable()) { $0 })
  }

  /// Subscribes again after an error until a number of attempts have failed.
  ///
  /// - Parameter maxAttemptCount: the total number of subscriptions, including the first; 0 or less completes
  ///   at once.
  /// - Returns: the sequence, which fails with the error of the last attempt.
  @inlinable public func retry(_ maxAttemptCount: Int) -> Observable<Element> {
    .catch(sequence: Swift.repeatElement(asObservable(), count: Swift.max(0, maxAttemptCount)))
  }
}
