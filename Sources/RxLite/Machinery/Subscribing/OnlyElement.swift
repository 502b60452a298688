extension ObservableType {
  /// Sends the only element when the sequence completes; a second element is an error.
  ///
  /// - Parameter emptyEnd: the stop event if there is no element.
  /// - Returns: the sequence.
  @inlinable func onlyElement(whenEmpty emptyEnd: Event<Element>) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      var only: Element?
      let sink = Sink(observer)
      return source(
        observer.calling { event in
          if case .error = event { only = nil }
          sink.receive(event) { element in
            if only.take() != nil { throw RxError.moreThanOneElement }
            only = element
          } completed: {
            if let element = only.take() { sink.complete(after: element) } else { sink.stop(emptyEnd) }
          }
        })
    }
  }
}
