import ReactiveNetworkLock

/// A disposable whose content is set once, and whose disposal can be postponed.
///
/// A `RefCountDisposable` around a `SingleAssignmentDisposable` would take one more allocation.
@usableFromInline final class PostponedDisposable: Disposable {
  #if TRACE_RESOURCES
    @usableFromInline let trace = ResourceTrace()
  #endif

  private struct State {
    var content: (any Disposable)?
    var isPostponed = false
    var isDisposed = false

    mutating func takeIfDue() -> (any Disposable)? {
      isDisposed && !isPostponed ? content.take() : nil
    }
  }

  private let state = Lock(State())

  @usableFromInline init() {}

  /// Runs `body`.
  ///
  /// If `dispose()` is called meanwhile, the disposal takes place afterwards.
  @usableFromInline func postpone(_ body: () -> Void) {
    state.withLock { $0.isPostponed = true }
    body()
    change { $0.isPostponed = false }
  }

  /// Sets the content.
  ///
  /// Called once.
  @usableFromInline func setDisposable(_ disposable: any Disposable) {
    change { $0.content = disposable }
  }

  @usableFromInline func dispose() {
    change { $0.isDisposed = true }
  }

  private func change(_ change: (inout State) -> Void) {
    let due = state.withLock { state in
      change(&state)
      return state.takeIfDue()
    }
    due?.dispose()
  }
}
