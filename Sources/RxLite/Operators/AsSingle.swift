extension ObservableType {
  /// The sequence as a single: its one element when it ends.
  ///
  /// Fails with `RxError.noElements` where there is none, and with `RxError.moreThanOneElement` as soon as a second
  /// one comes.
  @inlinable public func asSingle() -> Single<Element> {
    Single(raw: onlyElement(whenEmpty: .error(RxError.noElements)))
  }

  /// The sequence as a maybe: its one element, if there is one, when it ends.
  ///
  /// Fails with `RxError.moreThanOneElement` as soon as a second element comes.
  @inlinable public func asMaybe() -> Maybe<Element> {
    Maybe(raw: onlyElement(whenEmpty: .completed))
  }

  @inlinable func onlyElement(whenEmpty emptyEnd: Event<Element>) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
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
            guard let only else { return observer.on(emptyEnd) }
            observer.on(.next(only))
            observer.on(.completed)
          }
        })
    }
  }
}

extension ObservableType where Element == Never {
  /// The sequence as a completable.
  @inlinable public func asCompletable() -> Completable {
    Completable(raw: asObservable())
  }
}
