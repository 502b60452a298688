extension ObservableType {
  /// Sends a given element if the sequence completes without an element.
  @inlinable public func ifEmpty(default element: Element) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      var isEmpty = true
      return source(
        observer.calling { event in
          switch event {
          case .next: isEmpty = false
          case .error: break
          case .completed: if isEmpty { observer.on(.next(element)) }
          }
          observer.on(event)
        })
    }
  }

  /// Continues with another sequence if this one completes without an element.
  ///
  /// - Parameter other: subscribed to when this one completes, before this one is disposed.
  /// - Returns: the sequence.
  @inlinable public func ifEmpty(switchTo other: Observable<Element>) -> Observable<Element> {
    let source = asObservable().source
    return DeferredObservable {
      var isEmpty = true
      let watched = Observable { observer in
        source(
          observer.calling { event in
            if case .next = event { isEmpty = false }
            observer.on(event)
          })
      }
      return watched.followed { $0.isCompleted && isEmpty ? other : nil }
    }
  }
}
