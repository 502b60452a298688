import Locking

/// An action that is run at most once, and let go of when it has been run or cancelled.
final class PendingAction: Cancellable {
  private struct State {
    var action: (@Sendable () -> Void)?
    var isCancelled = false
  }

  private let state: Lock<State>

  init(_ action: @escaping @Sendable () -> Void) {
    state = Lock(State(action: action))
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func cancel() {
    state.withLock { $0.isCancelled = true }
    _ = take()
  }

  func run() { take()?() }

  /// The action, to the first who asks; it is let go of outside the lock.
  private func take() -> (@Sendable () -> Void)? {
    state.withLock { state in
      defer { state.action = nil }
      return state.action
    }
  }
}
