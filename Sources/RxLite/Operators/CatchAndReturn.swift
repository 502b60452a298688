extension ObservableType {
  /// Sends a given element and completes if this sequence fails.
  @inlinable public func catchAndReturn(_ element: Element) -> Observable<Element> {
    asObservable().followed { event in if case .error = event { .just(element) } else { nil } }
  }
}
