extension ObservableType {
  /// Returns a sequence that never sends an event.
  @inlinable public static func never() -> Observable<Element> {
    Observable(needsTrampoline: false) { _ in Disposables.create() }
  }
}
