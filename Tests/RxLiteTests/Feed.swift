import RxLite

/// A source for one observer, which it lets go of the moment it is unsubscribed: for tests that count what is alive.
final class Feed<Element> {
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
