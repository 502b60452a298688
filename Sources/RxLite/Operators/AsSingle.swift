extension ObservableType {
  /// Returns the sequence as a single, which sends its one element when the sequence completes.
  ///
  /// Fails with `RxError.noElements` if there is no element, and with `RxError.moreThanOneElement` as soon as
  /// a second element arrives.
  @inlinable public func asSingle() -> Single<Element> {
    Single(raw: onlyElement(whenEmpty: .error(RxError.noElements)))
  }

  /// Returns the sequence as a maybe, which sends its one element, if any, when the sequence completes.
  ///
  /// Fails with `RxError.moreThanOneElement` as soon as a second element arrives.
  @inlinable public func asMaybe() -> Maybe<Element> {
    Maybe(raw: onlyElement(whenEmpty: .completed))
  }

  @inlinable func onlyElement(whenEmpty emptyEnd: Event<Element>) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      var only: Element?
      var hasFailed = false
      return source(
        AnyObserver.calling { event in
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
  /// Returns the sequence as a completable.
  @inlinable public func asCompletable() -> Completable {
    Completable(raw: asObservable())
  }
}
