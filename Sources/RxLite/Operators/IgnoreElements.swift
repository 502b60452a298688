extension ObservableType {
  /// Drops all elements: only the end or the error is left.
  @inlinable public func ignoreElements() -> Observable<Never> {
    withoutElements()
  }

  /// Drops all elements and takes on another type.
  @inlinable func withoutElements<Result>() -> Observable<Result> {
    let source = asObservable().source
    return Observable<Result> { observer in
      source(
        AnyObserver { event in
          switch event {
          case .next: break
          case .error(let error): observer.on(.error(error))
          case .completed: observer.on(.completed)
          }
        })
    }
  }
}
