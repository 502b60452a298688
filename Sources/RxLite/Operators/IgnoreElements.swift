extension ObservableType {
  /// Drops all elements and forwards only the stop event.
  @inlinable public func ignoreElements() -> Observable<Never> {
    withoutElements()
  }

  /// Drops all elements and changes the element type.
  @inlinable func withoutElements<Result>() -> Observable<Result> {
    let source = asObservable().source
    return Observable<Result> { observer in
      source(
        observer.calling { event in
          switch event {
          case .next: break
          case .error(let error): observer.on(.error(error))
          case .completed: observer.on(.completed)
          }
        })
    }
  }
}
