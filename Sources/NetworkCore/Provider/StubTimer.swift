import Dispatch
import Foundation
import Locking

/// Runs an action after a while, unless it is cancelled before; a cancelled one lets go of the action at once.
final class StubTimer: Cancellable {
  private struct State {
    var action: (@Sendable () -> Void)?
    var isCancelled = false
  }

  private let state: Lock<State>

  init(seconds: TimeInterval, action: @escaping @Sendable () -> Void) {
    state = Lock(State(action: action))
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { self.take()?() }
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func cancel() {
    state.withLock { $0.isCancelled = true }
    _ = take()
  }

  /// The action, to the first who asks; it is let go of outside the lock.
  private func take() -> (@Sendable () -> Void)? {
    state.withLock { state in
      defer { state.action = nil }
      return state.action
    }
  }
}
