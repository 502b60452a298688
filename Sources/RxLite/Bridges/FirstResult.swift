import ReactiveNetworkLock

/// Suspends a task until the first report, or until the task is cancelled.
final class FirstResult<Value>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Value, any Error>)
    case reported(Result<Value, any Error>)
    case resumed
  }

  private let state = Lock(State.open)
  private let subscription = SingleAssignmentDisposable()

  /// Subscribes, and waits for the first report of the subscription.
  ///
  /// A cancelled task subscribes too: a report during the subscription takes precedence over the
  /// cancellation.
  ///
  /// - Parameter subscribe: returns a subscription, which calls `reportDisposal` when it is disposed.
  /// - Returns: the value that was reported first.
  /// - Throws: the error that was reported first.
  static func wait(_ subscribe: (FirstResult) -> any Disposable) async throws -> Value {
    let first = FirstResult()
    return try await withTaskCancellationHandler {
      first.subscription.setDisposable(subscribe(first))
      return try await withCheckedThrowingContinuation { first.resumeLater($0) }
    } onCancel: {
      first.subscription.dispose()
    }
  }

  /// Reports `CancellationError`, unless the sequence has already reported a result.
  ///
  /// Called when the subscription is disposed, because cancelling the task disposes it.
  func reportDisposal() {
    report(.failure(CancellationError()))
  }

  func report(_ result: Result<Value, any Error>) {
    let continuation: CheckedContinuation<Value, any Error>? = state.withLock { state in
      switch state {
      case .open:
        state = .reported(result)
        return nil
      case .awaited(let continuation):
        state = .resumed
        return continuation
      case .reported, .resumed:
        return nil
      }
    }
    if let continuation { Self.resume(continuation, with: result) }
  }

  private func resumeLater(_ continuation: CheckedContinuation<Value, any Error>) {
    let result: Result<Value, any Error>? = state.withLock { state in
      if case .reported(let result) = state {
        state = .resumed
        return result
      }
      state = .awaited(continuation)
      return nil
    }
    if let result { Self.resume(continuation, with: result) }
  }

  private static func resume(
    _ continuation: CheckedContinuation<Value, any Error>, with result: Result<Value, any Error>
  ) {
    continuation.resume(with: passedOn(result))
  }
}
