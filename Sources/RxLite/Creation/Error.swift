extension ObservableType {
  /// Returns a sequence that fails at once.
  @inlinable public static func error(_ error: any Error) -> Observable<Element> {
    Observable(needsTrampoline: false) { observer in
      observer.on(.error(error))
      return Disposables.create()
    }
  }
}
