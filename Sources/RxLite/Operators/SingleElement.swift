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
      let sink = Sink(observer)
      return source(
        observer.calling { event in
          sink.receive(event) { element in
            guard try predicate(element) else { return }
            if hasFound { throw RxError.moreThanOneElement }
            hasFound = true
            observer.on(.next(element))
          } completed: {
            guard hasFound else { throw RxError.noElements }
            sink.complete()
          }
        })
    }
  }
}
