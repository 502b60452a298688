extension ObservableType {
  /// Sends the events as elements, including the stop event, then completes.
  @inlinable public func materialize() -> Observable<Event<Element>> {
    let source = asObservable().source
    return Observable { observer in
      source(
        observer.calling { event in
          observer.on(.next(event))
          if event.isStopEvent { observer.on(.completed) }
        })
    }
  }
}
