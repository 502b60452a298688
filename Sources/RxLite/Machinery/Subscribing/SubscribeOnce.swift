extension Observable {
  /// Subscribes closures, one of which is called for the first event.
  ///
  /// After an element the subscription has ended for the subscriber, and `onDisposed` is called. The upstream
  /// subscription lasts until the stop event that follows.
  @inlinable func subscribeOnce(
    onElement: (@Sendable (Element) -> Void)?, onError: (@Sendable (any Error) -> Void)?,
    onCompleted: (@Sendable () -> Void)?,
    onDisposed: (@Sendable () -> Void)?
  ) -> any Disposable {
    let callStack = onError == nil ? Hooks.captureCallStack() : []
    let subscriber = SingleSubscriber(
      .init(onElement: onElement, onError: onError, onCompleted: onCompleted, callStack: callStack),
      onDisposed: onDisposed)
    subscriber.open(self) { subscriber.on($0) }
    return subscriber
  }
}

/// A gate that calls one closure, for the first event.
///
/// Observer, gate and subscription are one object because the closures can be released as soon as one of them
/// is called: the thread that sets the flag `closed` owns them.
@usableFromInline final class SingleSubscriber<Element>: SubscriptionGate, @unchecked Sendable {
  @usableFromInline struct Handlers {
    @usableFromInline let onElement: (@Sendable (Element) -> Void)?
    @usableFromInline let onError: (@Sendable (any Error) -> Void)?
    @usableFromInline let onCompleted: (@Sendable () -> Void)?
    @usableFromInline let callStack: [String]

    @inlinable init(
      onElement: (@Sendable (Element) -> Void)?, onError: (@Sendable (any Error) -> Void)?,
      onCompleted: (@Sendable () -> Void)?,
      callStack: [String]
    ) {
      self.onElement = onElement
      self.onError = onError
      self.onCompleted = onCompleted
      self.callStack = callStack
    }
  }

  @usableFromInline var handlers: Handlers?

  @inlinable init(_ handlers: Handlers, onDisposed: (@Sendable () -> Void)?) {
    self.handlers = handlers
    super.init(onDisposed: onDisposed)
  }

  @inlinable func on(_ event: Event<Element>) {
    switch event {
    case .next(let element):
      let former = set(.closed)
      guard !former.contains(.closed), let handlers = handlers.take() else { return }
      handlers.onElement?(element)
      if !former.contains(.notified) { notifyDisposed() }
    case .error(let error):
      stop { handlers in
        if let onError = handlers.onError {
          onError(error)
        } else {
          Hooks.defaultErrorHandler(handlers.callStack, error)
        }
      }
    case .completed: stop { $0.onCompleted?() }
    }
  }

  /// Closes the gate, and calls `deliver` with the handlers if there was no element.
  @inlinable func stop(_ deliver: (Handlers) -> Void) {
    close { if let handlers = handlers.take() { deliver(handlers) } }
    // If there was an element, that has closed the gate.
    finish()
  }

  @usableFromInline override func dispose() {
    guard let former = end() else { return }
    disposeContent(after: former)
    notifyDisposed(after: former)
    if !former.contains(.closed) { handlers = nil }
  }
}
