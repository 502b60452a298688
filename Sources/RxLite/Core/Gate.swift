public import Synchronization
public import Locking

/// One subscription at its last station: open until the first stop event or `dispose()`, whichever is first.
///
/// This is where the Rx grammar is enforced on the way out: a closed gate lets nothing pass, the stop event passes
/// once, and closing disposes everything upstream. Operators in the middle of a chain need no check of their own.
@usableFromInline final class Gate: Cancelable {
  @usableFromInline let isClosed = Atomic(false)
  @usableFromInline let upstream = Lock<(any Disposable)?>(nil)
  // Touched only by whichever thread closes the gate, once; let go then, since the user may keep the gate.
  nonisolated(unsafe) private var onDisposed: (() -> Void)?

  @usableFromInline init(onDisposed: (() -> Void)? = nil) {
    self.onDisposed = onDisposed
  }

  @inlinable var isOpen: Bool { !isClosed.load(ordering: .relaxed) }

  @usableFromInline var isDisposed: Bool { !isOpen }

  /// Subscribes to `observable`; a gate is opened once.
  @inlinable func open<Element>(
    _ observable: Observable<Element>, _ handler: @escaping (Event<Element>) -> Void
  ) {
    Trampoline.run { setUpstream(observable.source(AnyObserver(eventHandler: handler))) }
  }

  /// Lets the stop event pass: `deliver` runs on the one call that closes the gate.
  @inlinable func close(_ deliver: () -> Void) {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    deliver()
    finish()
  }

  @usableFromInline func dispose() {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    takeUpstream()?.dispose()
    onDisposed.take()?()
  }

  @usableFromInline func finish() {
    onDisposed.take()?()
    takeUpstream()?.dispose()
  }

  @usableFromInline func setUpstream(_ disposable: any Disposable) {
    // Closing sets the flag before it takes the lock, so one of the two sides always sees the other.
    let isLate = upstream.withLock { upstream in
      guard isOpen else { return true }
      upstream = disposable
      return false
    }
    if isLate { disposable.dispose() }
  }

  private func takeUpstream() -> (any Disposable)? {
    upstream.withLock { $0.take() }
  }
}
