internal import Dispatch
internal import Foundation
internal import NetworkCoreTransport
internal import ReactiveNetworkLock

/// A call of a transport's `start` on a thread of its own, which stands for the token until it has returned.
final class StartCall: Cancellable {
  private struct State {
    var thread: Thread?
    var token: (any Cancellable)?
    var isCancelled = false
  }

  private let state = Lock(State())
  private let hasReturned = DispatchSemaphore(value: 0)

  /// Whether the calling thread is within `start`.
  var isRunningOnThisThread: Bool {
    let current = Thread.current
    return state.withLock { $0.thread === current }
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func run(_ start: () -> any Cancellable) {
    let current = Thread.current
    state.withLock { $0.thread = current }
    let token = start()
    let isCancelled = state.withLock { state in
      state.thread = nil
      state.token = token
      return state.isCancelled
    }
    if isCancelled { token.cancel() }
    hasReturned.signal()
  }

  /// Waits until `start` has returned, and returns the token; `nil` if it does not return for too long.
  func token(within patience: Duration) -> (any Cancellable)? {
    let seconds = Double(patience.components.seconds) + Double(patience.components.attoseconds) / 1e18
    guard hasReturned.wait(timeout: .now() + seconds) == .success else { return nil }
    return state.withLock { $0.token.take() }
  }

  /// Cancels the transfer when `start` has returned.
  func cancel() {
    let token = state.withLock { state in
      state.isCancelled = true
      return state.token
    }
    token?.cancel()
  }
}
