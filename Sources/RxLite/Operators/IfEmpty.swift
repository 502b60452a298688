extension ObservableType {
  /// Sends a given element where the sequence completes without one.
  @inlinable public func ifEmpty(default element: Element) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      var isEmpty = true
      return source(
        AnyObserver { event in
          switch event {
          case .next: isEmpty = false
          case .error: break
          case .completed: if isEmpty { observer.on(.next(element)) }
          }
          observer.on(event)
        })
    }
  }

  /// Continues with another sequence where this one completes without an element.
  ///
  /// - Parameter other: subscribed after this one has been disposed.
  /// - Returns: the sequence.
  @inlinable public func ifEmpty(switchTo other: Observable<Element>) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      var isEmpty = true
      let watched = Observable { observer in
        source(
          AnyObserver { event in
            if case .next = event { isEmpty = false }
            observer.on(event)
          })
      }
      let relay = Relay<Element>(observer) { ended in
        guard isEmpty, ended.isCompleted else { return .end(ended) }
        isEmpty = false
        return .follow(other)
      }
      relay.take(.follow(watched))
      return relay
    }
  }
}
