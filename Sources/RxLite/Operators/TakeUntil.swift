extension ObservableType {
  /// Passes elements until another sequence sends one.
  ///
  /// The other sequence is subscribed first. Its first element ends this one, its error too; its end alone does nothing.
  ///
  /// - Parameter other: what ends the sequence.
  /// - Returns: the shortened sequence.
  @inlinable public func take<Source: ObservableType>(until other: Source) -> Observable<Element> {
    let source = asObservable().source
    return Observable { observer in
      let exit = Junction<Event<Element>, Element>(observer) { $0 }
      let trigger = SingleAssignmentDisposable()
      trigger.setDisposable(
        other.asObservable().source(
          AnyObserver { event in
            switch event {
            case .next: exit.send(.completed)
            case .error(let error): exit.send(.error(error))
            case .completed: trigger.dispose()
            }
          }))
      let upstream = source(AnyObserver { exit.send($0) })
      return Disposables.create(upstream, trigger)
    }
  }
}
