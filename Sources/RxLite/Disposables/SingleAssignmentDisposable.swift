import Locking

/// A disposable whose content is set once, possibly after it was disposed.
public final class SingleAssignmentDisposable: Cancelable {
  #if TRACE_RESOURCES
    private let trace = ResourceTrace()
  #endif

  // Unlike an `Assignment`, which trusts its callers, it has a lock: it notices two threads that both set it.
  private struct State {
    var content: (any Disposable)?
    var isDisposed = false
    // Looking at the content itself would copy it.
    var isAssigned = false
  }

  private let state = Lock(State())

  /// Makes an empty disposable.
  public init() {}

  /// Whether it was disposed.
  public var isDisposed: Bool { state.withLock { $0.isDisposed } }

  /// Sets what to dispose; disposes it at once where `dispose()` came before.
  ///
  /// - Precondition: called at most once.
  public func setDisposable(_ disposable: any Disposable) {
    var late: (any Disposable)? = disposable
    state.withLock { state in
      if state.isDisposed { return }
      precondition(!state.isAssigned, "What a disposable holds is set once, and was set again.")
      state.isAssigned = true
      swap(&state.content, &late)
    }
    late?.dispose()
  }

  /// Disposes the content, now or when it is set.
  public func dispose() {
    var content: (any Disposable)?
    state.withLock { state in
      state.isDisposed = true
      // `take()` would copy: nobody knows what kind of disposable it is.
      swap(&state.content, &content)
    }
    content?.dispose()
  }
}
