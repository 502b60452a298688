extension ObservableType {
  /// Returns a sequence that completes at once, without an element.
  @inlinable public static func empty() -> Observable<Element> {
    Observable(needsTrampoline: false) { observer in
      observer.on(.completed)
      return Disposables.create()
    }
  }
}
