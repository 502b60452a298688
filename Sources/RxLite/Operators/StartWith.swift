extension ObservableType {
  /// Sends given elements before those of the sequence.
  @inlinable public func startWith(_ elements: Element...) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      for element in elements { observer.on(.next(element)) }
      return source(observer)
    }
  }
}
