internal import Dispatch
internal import Foundation

/// A thread of a `CallbackPool`.
///
/// Sendable: the reference to the pool is only read, and `hasFurtherCallbacks` used by the thread itself.
final class CallbackThread: @unchecked Sendable {
  /// Blocks this thread alone, until there are callbacks: a semaphore, not a lock.
  private let bell = DispatchSemaphore(value: 0)
  /// Whether others wait behind the callback that the thread calls: it will soon be back for them, or another thread will.
  var hasFurtherCallbacks = false
  private weak var pool: CallbackPool?

  /// A key of the process's own; `nil` if the system has none left: then no thread counts as one of a pool.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  init(of pool: CallbackPool) {
    self.pool = pool
  }

  /// The calling thread, if it is one of a pool.
  static var current: CallbackThread? {
    guard let key, let context = pthread_getspecific(key) else { return nil }
    // Unretained is sound because `start()` keeps the object for as long as the thread runs.
    return Unmanaged<CallbackThread>.fromOpaque(context).takeUnretainedValue()
  }

  func start() {
    Thread { [self] in
      // Here and not before the start, where Foundation on Linux does not pass it on to the system.
      Thread.current.name = "NetworkCallback"
      if let key = Self.key { pthread_setspecific(key, Unmanaged.passUnretained(self).toOpaque()) }
      while pool?.serve(self) == true { bell.wait() }
      if let key = Self.key { pthread_setspecific(key, nil) }
    }.start()
  }

  /// Ends a sleep, once for each.
  func wake() { bell.signal() }

  func belongs(to pool: CallbackPool) -> Bool { self.pool === pool }

  /// Lets another thread call the callbacks that wait, because this one is about to wait; returns `false` if too many do.
  func handOver() -> Bool { pool?.handOver(self) ?? true }
}
