extension ObservableType {
  /// Passes the only element, as soon as it comes.
  ///
  /// Fails with `RxError.noElements` where there is none, and with `RxError.moreThanOneElement` as soon as a second
  /// one comes.
  @inlinable public func single() -> Observable<Element> {
    single { _ in true }
  }

  /// Passes the only element that satisfies a predicate, as soon as it comes.
  ///
  /// - Parameter predicate: tells which element is meant; what it throws ends the sequence with that error.
  /// - Returns: a sequence of that element; it fails with `RxError.noElements` where there is none, and with
  ///   `RxError.moreThanOneElement` as soon as a second one comes.
  @inlinable public func single(_ predicate: @escaping (Element) throws -> Bool) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      var hasFound = false
      // A source that sends while it is being subscribed goes on after an error of ours.
      let end = EndMark()
      return source(
        AnyObserver { event in
          if end.isReached { return }
          do {
            switch event {
            case .next(let element):
              guard try predicate(element) else { return }
              if hasFound { throw RxError.moreThanOneElement }
              hasFound = true
            case .error: break
            case .completed: if !hasFound { throw RxError.noElements }
            }
            observer.on(event)
          } catch {
            end.isReached = true
            observer.on(.error(error))
          }
        })
    }
  }
}
