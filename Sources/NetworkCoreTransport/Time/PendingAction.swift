import Dispatch
import ReactiveNetworkLock

/// An action that runs at most once, and is released with its timer when it has run or was cancelled.
final class PendingAction: Cancellable {
  private struct State {
    var action: (@Sendable () -> Void)?
    var timer: (any DispatchSourceTimer)?
    var isCancelled = false
  }

  private let state: Lock<State>

  init(_ action: @escaping @Sendable () -> Void) {
    state = Lock(State(action: action))
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Runs the action after a time on a global queue of Dispatch.
  ///
  /// A block of `asyncAfter` would stay in Dispatch until its time although the action was cancelled.
  func start(after seconds: Double) {
    let timer = DispatchSource.makeTimerSource(queue: .global())
    // Later than a century is never; the sum must not overflow.
    timer.schedule(deadline: seconds < 3e9 ? .now() + seconds : .distantFuture)
    // The timer holds the action, and the action the timer, until the timer fires or the action is cancelled.
    timer.setEventHandler { self.run() }
    state.withLock { $0.timer = timer }
    timer.activate()
  }

  func cancel() {
    state.withLock { $0.isCancelled = true }
    _ = take()
  }

  func run() { take()?() }

  /// Returns the action to the first caller, which releases it outside the lock.
  private func take() -> (@Sendable () -> Void)? {
    let (action, timer) = state.withLock { ($0.action.take(), $0.timer.take()) }
    timer?.cancel()
    return action
  }
}
