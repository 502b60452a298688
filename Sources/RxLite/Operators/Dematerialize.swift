extension ObservableType where Element: EventConvertible {
  /// Sends the events that the elements represent; the first stop event ends the sequence.
  @inlinable public func dematerialize() -> Observable<Element.Element> {
    let source = asObservable().source
    return Observable { observer in
      let sink = Sink(observer)
      return source(
        observer.calling { event in
          sink.forward(event) { element in
            let event = element.event
            if case .next(let element) = event { return element }
            sink.stop(event)
            return nil
          }
        })
    }
  }
}
