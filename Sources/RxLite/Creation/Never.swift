extension ObservableType {
  /// Returns a sequence that never sends an event.
  @inlinable public static func never() -> Observable<Element> {
    DirectObservable { _ in Disposables.create() }
  }
}
