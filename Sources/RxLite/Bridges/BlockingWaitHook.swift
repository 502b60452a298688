import ReactiveNetworkLock

/// A hook for threads that block until a sequence has ended.
package enum BlockingWaitHook {
  /// Runs a closure that waits on the calling thread; throws an error if the thread must not wait.
  package typealias Waiting = @Sendable (_ wait: () -> Void) throws -> Void

  private struct State {
    var waiting: Waiting?
  }

  private static let state = Lock(State())

  /// Sets the closure that runs each wait.
  package static func setWaiting(_ run: @escaping Waiting) {
    state.withLock { $0.waiting = run }
  }

  /// Waits on the calling thread.
  static func run(_ wait: () -> Void) throws {
    guard let run = state.withLock({ $0.waiting }) else { return wait() }
    try run(wait)
  }
}
