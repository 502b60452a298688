extension Observable {
  /// Subscribes closures of which one is called, for the first event.
  ///
  /// With an element the subscriber is done, and told so; what is upstream lasts until the stop event that follows.
  @inlinable func subscribeOnce(
    onElement: ((Element) -> Void)?, onError: ((any Error) -> Void)?, onCompleted: (() -> Void)?,
    onDisposed: (() -> Void)?
  ) -> any Disposable {
    let gate = Gate(onDisposed: onDisposed)
    let callStack = onError == nil ? Hooks.captureCallStack() : []
    let end = EndMark()
    gate.open(self) { event in
      switch event {
      case .next(let element):
        guard gate.isOpen, !end.isReached else { return }
        end.isReached = true
        onElement?(element)
        if onDisposed != nil { gate.tellDisposed() }
      case .error(let error):
        gate.close {
          if end.isReached { return }
          if let onError { onError(error) } else { Hooks.defaultErrorHandler(callStack, error) }
        }
      case .completed: gate.close { if !end.isReached { onCompleted?() } }
      }
    }
    return gate
  }
}
