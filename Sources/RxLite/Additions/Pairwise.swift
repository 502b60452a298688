extension ObservableType {
  /// Pairs each element with the previous one.
  ///
  /// - Returns: the sequence of pairs, which begins with the second element.
  @inlinable public func pairwise() -> Observable<(Element, Element)> {
    let source = asObservable().source
    return Observable { observer in
      let sink = Sink(observer)
      let previous = Box<Element?>(nil)
      return source(
        observer.calling { event in
          sink.forward(event) { element in
            defer { previous.value = element }
            return previous.value.map { ($0, element) }
          }
        })
    }
  }
}

extension InfallibleType {
  /// Pairs each element with the previous one.
  ///
  /// - Returns: the infallible of pairs, which begins with the second element.
  @inlinable public func pairwise() -> Infallible<(Element, Element)> {
    Infallible(asObservable().pairwise())
  }
}
