import Locking

/// Something to cancel that is a closure, for calls of one's own that stand in for a provider's.
public final class CancellableToken: Cancellable, CustomDebugStringConvertible {
  private struct State {
    var action: (@Sendable () -> Void)?
    var isCancelled = false
  }

  private let state: Lock<State>

  /// Makes a token.
  ///
  /// - Parameter action: what the first `cancel()` does, on the thread that calls it.
  @preconcurrency public init(action: @escaping @Sendable () -> Void) {
    state = Lock(State(action: action))
  }

  /// Whether `cancel()` was called.
  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Runs the action, the first time that it is called.
  public func cancel() {
    let action = state.withLock { state in
      state.isCancelled = true
      defer { state.action = nil }
      return state.action
    }
    action?()
  }

  /// Whether the token has been cancelled.
  public var debugDescription: String { isCancelled ? "cancelled" : "not cancelled" }
}
