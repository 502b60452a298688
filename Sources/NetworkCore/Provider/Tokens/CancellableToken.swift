import ReactiveNetworkLock

/// A token that runs a closure when it is cancelled.
///
/// Return it from your own implementation of a request, such as an override of a provider's `stubRequest`.
public final class CancellableToken: Cancellable, CustomDebugStringConvertible {
  private struct State {
    var action: (@Sendable () -> Void)?
    var isCancelled = false
  }

  private let state: Lock<State>

  /// Makes a token.
  ///
  /// - Parameter action: called by the first `cancel()`, on its thread.
  @preconcurrency public init(action: @escaping @Sendable () -> Void) {
    state = Lock(State(action: action))
  }

  /// Whether `cancel()` was called.
  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Runs the action on the first call; later calls do nothing.
  public func cancel() {
    let action = state.withLock { state in
      state.isCancelled = true
      return state.action.take()
    }
    action?()
  }

  /// Whether the token has been cancelled.
  public var debugDescription: String { isCancelled ? "cancelled" : "not cancelled" }
}
