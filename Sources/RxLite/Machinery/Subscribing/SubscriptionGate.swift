/// The subscriber's end of a subscription: open until the first stop event or `dispose()`, whichever comes
/// first.
///
/// It enforces the Rx grammar: a closed gate forwards nothing, the stop event is forwarded once, and closing
/// disposes everything upstream. Operators in the middle of a chain need no check of their own.
///
/// `Sendable` because of its base class, and because `onDisposed` belongs to the thread that sets the flag
/// `notified`.
@usableFromInline class SubscriptionGate: SingleAssignmentBase, Cancelable, @unchecked Sendable {
  #if TRACE_RESOURCES
    private let trace = ResourceTrace()
  #endif

  // Released when the gate closes, like everything upstream, because the user may keep the gate.
  @usableFromInline final var onDisposed: (@Sendable () -> Void)?

  @inlinable init(onDisposed: (@Sendable () -> Void)? = nil) {
    self.onDisposed = onDisposed
    super.init(onDisposed == nil ? .notified : [])
  }

  @inlinable final var isOpen: Bool { isClear(of: [.ended, .closed]) }

  @usableFromInline final var isDisposed: Bool { isSet(.ended) }

  /// Subscribes to `observable`.
  ///
  /// Called at most once.
  @inlinable final func open<Element>(
    _ observable: Observable<Element>, within context: SubscriptionContext? = nil,
    _ handler: @escaping (Event<Element>) -> Void
  ) {
    observable.runInTrampolineIfNeeded {
      assign(observable.source(AnyObserver(handler: handler, context: context)))
    }
  }

  /// Closes the gate for the stop event, and disposes everything upstream after it.
  ///
  /// `deliver` runs only in the one call that closes the gate. It may call `dispose()`, which then need not
  /// wait: an operator that subscribes to its source again must first end the former subscription.
  @inlinable final func close(_ deliver: () -> Void) {
    guard set(.closed).isDisjoint(with: [.ended, .closed]) else { return }
    deliver()
    finish()
  }

  /// Calls `onDisposed` before the stop event closes the gate.
  @usableFromInline final func notifyDisposed() {
    notifyDisposed(after: set(.notified))
  }

  @usableFromInline func dispose() {
    guard let former = end() else { return }
    disposeContent(after: former)
    notifyDisposed(after: former)
  }

  @usableFromInline final func finish() {
    guard let former = end() else { return }
    notifyDisposed(after: former)
    disposeContent(after: former)
  }

  @usableFromInline final func notifyDisposed(after former: Flags) {
    if !former.contains(.notified) { onDisposed.take()?() }
  }
}
