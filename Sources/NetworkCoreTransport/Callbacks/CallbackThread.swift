internal import Dispatch
internal import Foundation
internal import ReactiveNetworkLock

/// A thread of a `CallbackPool`.
///
/// Sendable because the reference to the pool is only read.
package final class CallbackThread: @unchecked Sendable {
  /// Blocks only this thread, until there are callbacks or a loop to run: a semaphore, not a lock.
  private let semaphore = DispatchSemaphore(value: 0)
  private weak var pool: CallbackPool?
  /// The folder of the thread in `/proc`; empty until the thread runs.
  private let folder = Lock("")

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
      if let pool {
        Thread.current.name = pool.threadName
        var blocked = pool.blockedSignals
        pthread_sigmask(SIG_SETMASK, &blocked, nil)
      }
      #if os(Linux)
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        folder.withLock { $0 = path ?? "" }
      #endif
      if let key = Self.key { pthread_setspecific(key, Unmanaged.passUnretained(self).toOpaque()) }
      while pool?.runCallbacks(on: self) == true { semaphore.wait() }
      if let key = Self.key { pthread_setspecific(key, nil) }
    }.start()
  }

  /// Runs a loop; meanwhile the thread does not count as the pool's, because nothing may wait on it.
  func run(_ loop: any ParkableLoop) {
    guard let key = Self.key else { return loop.run(on: self) }
    pthread_setspecific(key, nil)
    loop.run(on: self)
    pthread_setspecific(key, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Ends one wait of the thread.
  func wake() { semaphore.signal() }

  /// Whether the thread waits, for a lock or an event, instead of computing or being ready to compute.
  ///
  /// Unlike its processor time, the kernel's state of the thread (`proc(5)`) does not depend on how busy the
  /// machine is. `true` if the state cannot be read.
  var isWaiting: Bool {
    #if os(Linux)
      let file = open("/proc/\(folder.withLock { $0 })/stat", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return true }
      defer { close(file) }
      var text = [UInt8](repeating: 0, count: 128)
      let count = read(file, &text, text.count)
      // The state follows the name, which is in parentheses.
      guard count > 0, let end = text[..<count].lastIndex(of: UInt8(ascii: ")")), end + 2 < count else {
        return true
      }
      return text[end + 2] != UInt8(ascii: "R")
    #else
      return true
    #endif
  }

  package func belongs(to pool: CallbackPool) -> Bool { self.pool === pool }

  /// Runs a closure that waits; meanwhile another thread calls the pending callbacks.
  ///
  /// Returns after the callback that runs when the wait ends.
  ///
  /// - Returns: `false` if too many threads already wait; then the closure is not called.
  func wait(_ wait: () -> Void) -> Bool {
    guard let pool else {
      wait()
      return true
    }
    guard pool.handOver(self) else { return false }
    wait()
    if !pool.resume(self) { semaphore.wait() }
    return true
  }
}
