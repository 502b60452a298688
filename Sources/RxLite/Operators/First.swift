extension ObservableType {
  /// Returns the first element as a single, or `nil` if the sequence completes without an element.
  ///
  /// The source is disposed after its first element.
  @inlinable public func first() -> Single<Element?> {
    let source = asObservable().source
    return Single(
      raw: Observable { observer in
        var isFound = false
        return source(
          observer.calling { event in
            if isFound { return }
            switch event {
            case .next(let element):
              isFound = true
              observer.on(.next(element))
              observer.on(.completed)
            case .error(let error):
              observer.on(.error(error))
            case .completed:
              observer.on(.next(nil))
              observer.on(.completed)
            }
          })
      })
  }
}
