import Locking

/// What may keep a thread from blocking until a sequence has ended.
package enum BlockingWait {
  /// Prepares the calling thread; throws why it must not wait.
  package typealias Preparation = @Sendable () throws -> Void

  private static let preparation = Lock<Preparation?>(nil)

  /// Has `prepare` called by each thread that is about to wait.
  package static func setPreparation(_ prepare: @escaping Preparation) {
    preparation.withLock { $0 = prepare }
  }

  /// Called by a thread that is about to wait.
  static func prepare() throws {
    try preparation.withLock { $0 }?()
  }
}
