public import Synchronization
public import Locking

/// One subscription at its last station: open until the first stop event or `dispose()`, whichever is first.
///
/// This is where the Rx grammar is enforced on the way out: a closed gate lets nothing pass, the stop event passes
/// once, and closing disposes everything upstream. Operators in the middle of a chain need no check of their own.
@usableFromInline final class Gate: Cancelable {
  #if TRACE_RESOURCES
    private let trace = ResourceTrace()
  #endif

  @usableFromInline let isClosed = Atomic(false)
  // What closing lets go of, since the user may keep the gate.
  @usableFromInline struct Content {
    @usableFromInline var upstream: (any Disposable)?
    @usableFromInline var onDisposed: (() -> Void)?

    @inlinable init(upstream: (any Disposable)? = nil, onDisposed: (() -> Void)? = nil) {
      self.upstream = upstream
      self.onDisposed = onDisposed
    }
  }

  @usableFromInline let content: Lock<Content>

  @usableFromInline init(onDisposed: (() -> Void)? = nil) {
    content = Lock(Content(onDisposed: onDisposed))
  }

  @inlinable var isOpen: Bool { !isClosed.load(ordering: .relaxed) }

  @usableFromInline var isDisposed: Bool { !isOpen }

  /// Subscribes to `observable`; a gate is opened once.
  @inlinable func open<Element>(
    _ observable: Observable<Element>, _ handler: @escaping (Event<Element>) -> Void
  ) {
    observable.subscribing { setUpstream(observable.source(AnyObserver(eventHandler: handler))) }
  }

  /// Lets the stop event pass: `deliver` runs on the one call that closes the gate.
  @inlinable func close(_ deliver: () -> Void) {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    deliver()
    finish()
  }

  /// Tells that the subscription has ended, ahead of the stop event that will close the gate.
  @usableFromInline func tellDisposed() {
    content.withLock { Content(onDisposed: $0.onDisposed.take()) }.onDisposed?()
  }

  @usableFromInline func dispose() {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let content = takeContent()
    content.upstream?.dispose()
    content.onDisposed?()
  }

  @usableFromInline func finish() {
    let content = takeContent()
    content.onDisposed?()
    content.upstream?.dispose()
  }

  @usableFromInline func setUpstream(_ disposable: consuming any Disposable) {
    // Closing sets the flag before it takes the lock, so one of the two sides always sees the other.
    var late: (any Disposable)? = disposable
    content.withLock { if isOpen { swap(&$0.upstream, &late) } }
    late?.dispose()
  }

  private func takeContent() -> Content {
    var taken = Content()
    content.withLock { swap(&$0, &taken) }
    return taken
  }
}
