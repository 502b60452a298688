extension ObservableType where Element: EventConvertible {
  /// Sends the events that the elements represent; the first stop event ends the sequence.
  @inlinable public func dematerialize() -> Observable<Element.Element> {
    let source = asObservable().source
    return Observable { observer in
      // The source may continue after it has sent a stop event as an element.
      let end = EndedFlag()
      return source(
        observer.calling { event in
          if end.hasEnded { return }
          switch event {
          case .next(let element):
            let event = element.event
            end.hasEnded = event.isStopEvent
            observer.on(event)
          case .error(let error): observer.on(.error(error))
          case .completed: observer.on(.completed)
          }
        })
    }
  }
}
