import RxLite

/// A source for one observer, which it releases as soon as it is disposed, for tests that count live objects.
final class SingleObserverSource<Element> {
  private(set) var observer: AnyObserver<Element>?

  var observable: Observable<Element> {
    .create { observer in
      self.observer = observer
      return Disposables.create { self.observer = nil }
    }
  }

  func send(_ event: Event<Element>) {
    observer?.on(event)
  }
}
