import ReactiveNetworkLock

/// A disposable whose content is set once, possibly after it was disposed.
public final class SingleAssignmentDisposable: Cancelable {
  #if TRACE_RESOURCES
    private let trace = ResourceTrace()
  #endif

  // Unlike `SingleAssignmentBase`, which trusts its callers, this class uses a lock, to detect two threads
  // that both set the content.
  private struct State {
    var content: (any Disposable)?
    var isDisposed = false
    // Reading the content itself would copy it.
    var isAssigned = false
  }

  private let state = Lock(State())

  /// Creates an empty disposable.
  public init() {}

  /// Whether it was disposed.
  public var isDisposed: Bool { state.withLock { $0.isDisposed } }

  /// Sets the content.
  ///
  /// Disposes it at once if `dispose()` was called before.
  ///
  /// - Precondition: called at most once.
  public func setDisposable(_ disposable: any Disposable) {
    var late: (any Disposable)? = disposable
    state.withLock { state in
      if state.isDisposed { return }
      precondition(!state.isAssigned, "The content of the disposable was already set.")
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
      // `take()` would copy, because the type of the disposable is unknown here.
      swap(&state.content, &content)
    }
    content?.dispose()
  }
}
