extension ObservableType {
  /// The sequence as a single: its one element when it ends.
  ///
  /// Fails with `RxError.noElements` where there is none, and with `RxError.moreThanOneElement` as soon as a second
  /// one comes.
  @inlinable public func asSingle() -> Single<Element> {
    let source = asObservable().source
    return Single(
      raw: Observable { observer in
        var only: Element?
        var hasFailed = false
        return source(
          AnyObserver { event in
            if hasFailed { return }
            switch event {
            case .next(let element):
              if only == nil {
                only = element
              } else {
                hasFailed = true
                observer.on(.error(RxError.moreThanOneElement))
              }
            case .error:
              observer.on(event)
            case .completed:
              guard let only else { return observer.on(.error(RxError.noElements)) }
              observer.on(.next(only))
              observer.on(.completed)
            }
          })
      })
  }
}
