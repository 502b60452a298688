extension ObservableType {
  /// Forwards the only element as soon as it arrives.
  ///
  /// Fails with `RxError.noElements` if there is no element, and with `RxError.moreThanOneElement` as soon as
  /// a second element arrives.
  @inlinable public func single() -> Observable<Element> {
    single { _ in true }
  }

  /// Forwards the only element that satisfies a predicate, as soon as it arrives.
  ///
  /// - Parameter predicate: returns `true` for the element. An error that it throws ends the sequence.
  /// - Returns: a sequence of that element. It fails with `RxError.noElements` if there is no such element,
  ///   and with `RxError.moreThanOneElement` as soon as a second one arrives.
  @preconcurrency @inlinable public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool)
    -> Observable<Element>
  {
    let source = asObservable().source
    return Observable { observer in
      var hasFound = false
      // A source that sends during its subscription continues after an error of this operator.
      let end = EndedFlag()
      return source(
        observer.calling { event in
          if end.hasEnded { return }
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
            end.hasEnded = true
            observer.on(.error(error))
          }
        })
    }
  }
}
