extension ObservableType {
  /// Returns a sequence that completes at once, without an element.
  @inlinable public static func empty() -> Observable<Element> {
    DirectObservable { observer in
      observer.on(.completed)
      return Disposables.create()
    }
  }

  /// Returns a sequence that never sends an event.
  @inlinable public static func never() -> Observable<Element> {
    DirectObservable { _ in Disposables.create() }
  }

  /// Returns a sequence that fails at once.
  @inlinable public static func error(_ error: any Error) -> Observable<Element> {
    DirectObservable { observer in
      observer.on(.error(error))
      return Disposables.create()
    }
  }
}
