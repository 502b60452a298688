public import Locking

/// A disposable whose content is set once, possibly after it was disposed.
public final class SingleAssignmentDisposable: Cancelable {
  @usableFromInline enum State {
    case empty
    case assigned(any Disposable)
    case disposed
  }

  @usableFromInline let state = Lock(State.empty)

  /// Makes an empty disposable.
  public init() {}

  /// Whether it was disposed.
  public var isDisposed: Bool {
    state.withLock { if case .disposed = $0 { true } else { false } }
  }

  /// Sets what to dispose; disposes it at once where `dispose()` came before.
  ///
  /// - Precondition: called at most once.
  public func setDisposable(_ disposable: any Disposable) {
    let isLate = state.withLock { state in
      switch state {
      case .empty:
        state = .assigned(disposable)
        return false
      case .assigned:
        preconditionFailure("A SingleAssignmentDisposable was assigned twice.")
      case .disposed:
        return true
      }
    }
    if isLate { disposable.dispose() }
  }

  /// Disposes the content, now or when it is set.
  public func dispose() {
    let content: (any Disposable)? = state.withLock { state in
      defer { state = .disposed }
      return if case .assigned(let disposable) = state { disposable } else { nil }
    }
    content?.dispose()
  }
}
