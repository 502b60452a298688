import ReactiveNetworkLock

/// A hook for threads that are about to block until a sequence has ended.
package enum BlockingWaitHook {
  /// Prepares the calling thread; throws an error if the thread must not wait.
  package typealias Preparation = @Sendable () throws -> Void

  private static let preparation = Lock<Preparation?>(nil)

  /// Sets the closure that each thread calls before it waits.
  package static func setPreparation(_ prepare: @escaping Preparation) {
    preparation.withLock { $0 = prepare }
  }

  /// Prepares the calling thread to wait.
  static func prepare() throws {
    try preparation.withLock { $0 }?()
  }
}
