import ReactiveNetworkLock

/// A hook for threads that block until a sequence has ended.
package enum BlockingWaitHook {
  /// Runs a closure that waits on the calling thread; throws an error if the thread must not wait.
  package typealias Waiting = @Sendable (_ wait: () -> Void) throws -> Void

  private static let waiting = Lock<Waiting?>(nil)

  /// Sets the closure that runs each wait.
  package static func setWaiting(_ run: @escaping Waiting) {
    waiting.withLock { $0 = run }
  }

  /// Waits on the calling thread.
  static func run(_ wait: () -> Void) throws {
    guard let run = waiting.withLock({ $0 }) else { return wait() }
    try run(wait)
  }
}
