internal import Dispatch
internal import Foundation

/// A thread of a `CallbackPool`.
///
/// Sendable because the reference to the pool is only read, and only the thread itself uses
/// `hasFurtherCallbacks`.
package final class CallbackThread: @unchecked Sendable {
  /// Blocks only this thread, until there are callbacks: a semaphore, not a lock.
  private let semaphore = DispatchSemaphore(value: 0)
  /// Whether further callbacks wait after the current one; this thread or another one will soon call them.
  package var hasFurtherCallbacks = false
  private weak var pool: CallbackPool?

  /// The key of a thread's `CallbackThread`; if it is `nil`, because the system has no key left, no thread
  /// counts as a pool's.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  init(of pool: CallbackPool) {
    self.pool = pool
  }

  /// The calling thread, if it belongs to a pool.
  package static var current: CallbackThread? {
    guard let key, let context = pthread_getspecific(key) else { return nil }
    // Unretained is sound because `start()` keeps the object alive while the thread runs.
    return Unmanaged<CallbackThread>.fromOpaque(context).takeUnretainedValue()
  }

  func start() {
    Thread { [self] in
      // Set here and not before the start, because Foundation on Linux does not pass an earlier name on to
      // the system.
      Thread.current.name = "NetworkCallback"
      if let key = Self.key { pthread_setspecific(key, Unmanaged.passUnretained(self).toOpaque()) }
      while pool?.runCallbacks(on: self) == true { semaphore.wait() }
      if let key = Self.key { pthread_setspecific(key, nil) }
    }.start()
  }

  /// Ends one wait of the thread.
  func wake() { semaphore.signal() }

  package func belongs(to pool: CallbackPool) -> Bool { self.pool === pool }

  /// Makes another thread call the waiting callbacks before this thread waits; returns `false` if too many
  /// threads already wait.
  func handOver() -> Bool { pool?.handOver(self) ?? true }
}
