import ReactiveNetworkLock

/// Suspends a task until the first report, or until the task is cancelled.
final class EndOfSequence<Value>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Value, any Error>)
    case reported(Result<Value, any Error>)
    case over
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
  static func wait(_ subscribe: (EndOfSequence) -> any Disposable) async throws -> Value {
    let end = EndOfSequence()
    return try await withTaskCancellationHandler {
      end.subscription.setDisposable(subscribe(end))
      return try await withCheckedThrowingContinuation { end.resumeLater($0) }
    } onCancel: {
      end.subscription.dispose()
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
        state = .over
        return continuation
      case .reported, .over:
        return nil
      }
    }
    if let continuation { Self.hand(result, to: continuation) }
  }

  private func resumeLater(_ continuation: CheckedContinuation<Value, any Error>) {
    let result: Result<Value, any Error>? = state.withLock { state in
      if case .reported(let result) = state {
        state = .over
        return result
      }
      state = .awaited(continuation)
      return nil
    }
    if let result { Self.hand(result, to: continuation) }
  }

  private static func hand(
    _ result: Result<Value, any Error>, to continuation: CheckedContinuation<Value, any Error>
  ) {
    // The result crosses to the waiting task like an element that crosses a scheduler: it is passed on once,
    // and not used here again.
    nonisolated(unsafe) let result = result
    continuation.resume(with: result)
  }
}
