import Locking

/// Cancels a request whose token may not be there yet.
final class PendingToken: Sendable {
  private struct State {
    var token: (any Cancellable)?
    var isCancelled = false
  }

  private let state = Lock(State())

  /// Takes the token, and cancels it where that has been asked for already.
  func hold(_ token: any Cancellable) {
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
