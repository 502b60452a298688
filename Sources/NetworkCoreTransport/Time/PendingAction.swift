import ReactiveNetworkLock

/// An action that runs at most once, and is released when it has run or was cancelled.
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

  /// Returns the action to the first caller, which releases it outside the lock.
  private func take() -> (@Sendable () -> Void)? {
    state.withLock { state in
      defer { state.action = nil }
      return state.action
    }
  }
}
