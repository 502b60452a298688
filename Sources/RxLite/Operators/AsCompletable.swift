extension ObservableType where Element == Never {
  /// Returns the sequence as a completable.
  @inlinable public func asCompletable() -> Completable {
    Completable(raw: asObservable())
  }
}
