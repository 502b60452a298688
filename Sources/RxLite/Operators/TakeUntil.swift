extension ObservableType {
  /// Passes elements until another sequence sends one.
  ///
  /// The other sequence is subscribed first. Its first element ends this one, its error too; its end alone does nothing.
  ///
  /// - Parameter other: what ends the sequence.
  /// - Returns: the shortened sequence.
  @inlinable public func take<Source: ObservableType>(until other: Source) -> Observable<Element> {
    let source = asObservable().source
    let trigger = other.asObservable().source
    return Observable { observer in
      let exit = Exit(observer)
      exit.trigger.set(
        trigger(
          AnyObserver { event in
            switch event {
            case .next: exit.send(.completed)
            case .error(let error): exit.send(.error(error))
            case .completed: exit.trigger.dispose()
            }
          }))
      exit.upstream.set(source(AnyObserver { exit.send($0) }))
      return exit
    }
  }
}

/// The way out of a sequence that another one may end.
@usableFromInline final class Exit<Element>: Recipient, Disposable {
  #if TRACE_RESOURCES
    @usableFromInline let trace = ResourceTrace()
  #endif

  // This and `isStopped` are used only in the serializer's turn.
  @usableFromInline nonisolated(unsafe) let observer: AnyObserver<Element>
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var isStopped = false
  @usableFromInline let serializer = Serializer()
  @usableFromInline let upstream = Assignment()
  @usableFromInline let trigger = Assignment()

  @inlinable init(_ observer: AnyObserver<Element>) {
    self.observer = observer
  }

  @inlinable func send(_ event: Event<Element>) {
    serializer.send(event, to: self)
  }

  @inlinable func receive(_ event: Event<Element>) {
    if isStopped { return }
    isStopped = event.isStopEvent
    observer.on(event)
  }

  @usableFromInline func dispose() {
    upstream.dispose()
    trigger.dispose()
  }
}
