package import Dispatch
import Foundation

/// Detects whether a transport is reporting an event on the calling thread.
package enum TransportThread {
  /// A queue that represents a thread of the transport: callbacks run there even if the provider has a queue.
  package static let queue = DispatchQueue(label: "NetworkCore.transport-thread")

  /// A thread-specific key of the process; `nil` if the system has no key left, in which case no thread is
  /// detected.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  private static var isCurrent: Bool { key.map { pthread_getspecific($0) != nil } ?? false }

  /// Runs a transport's report; the calling thread is marked while it runs.
  package static func run(_ report: () -> Void) {
    guard let key, pthread_getspecific(key) == nil else { return report() }
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
    defer { pthread_setspecific(key, nil) }
    report()
  }

  /// Marks the calling thread as reporting until `detach()`.
  package static func attach() {
    if let key { pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1)) }
  }

  /// Removes the mark of the calling thread.
  package static func detach() {
    if let key { pthread_setspecific(key, nil) }
  }

  /// Runs a closure that waits for a response on the calling thread.
  ///
  /// If that is a callback thread, another thread calls its pending callbacks, and the calling one continues
  /// when no other callback runs, so that callbacks which compute after a wait do not do so all at a time.
  ///
  /// - Throws: an error if the thread must not wait; then the closure is not called.
  package static func wait(_ wait: () -> Void) throws(WaitingError) {
    if let thread = CallbackThread.current {
      guard thread.wait(wait) else { throw .tooManyWait(limit: CallbackPool.threadLimit) }
    } else if isCurrent {
      throw .wouldDeadlock
    } else {
      wait()
    }
  }
}
