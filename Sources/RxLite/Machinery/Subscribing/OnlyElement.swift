extension ObservableType {
  /// Sends the only element when the sequence completes; a second element is an error.
  ///
  /// - Parameter emptyEnd: the stop event if there is no element.
  /// - Returns: the sequence.
  @inlinable func onlyElement(whenEmpty emptyEnd: Event<Element>) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      var only: Element?
      // A source that sends during its subscription continues after an error of this operator.
      let end = EndedFlag()
      return source(
        observer.calling { event in
          if end.hasEnded { return }
          switch event {
          case .next(let element):
            if only == nil {
              only = element
            } else {
              end.hasEnded = true
              only = nil
              observer.on(.error(RxError.moreThanOneElement))
            }
          case .error:
            only = nil
            observer.on(event)
          case .completed:
            guard let element = only.take() else { return observer.on(emptyEnd) }
            observer.on(.next(element))
            observer.on(.completed)
          }
        })
    }
  }
}
