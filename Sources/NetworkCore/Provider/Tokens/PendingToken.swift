import ReactiveNetworkLock

/// Cancels a request even if its token has not arrived yet.
final class PendingToken: Sendable {
  private struct State {
    var token: (any Cancellable)?
    var isCancelled = false
  }

  private let state = Lock(State())

  /// Stores the token, and cancels it if `cancel()` was called before.
  func store(_ token: any Cancellable) {
    let isCancelled = state.withLock { state in
      state.token = token
      return state.isCancelled
    }
    if isCancelled { token.cancel() }
  }

  func cancel() {
    let token = state.withLock { state in
      state.isCancelled = true
      return state.token
    }
    token?.cancel()
  }
}
