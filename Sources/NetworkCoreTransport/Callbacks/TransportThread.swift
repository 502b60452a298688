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

  /// Marks the calling thread as reporting until the thread ends.
  package static func attach() {
    if let key { pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1)) }
  }

  /// Prepares the calling thread to wait for a response: if it is a callback thread, another thread runs its
  /// pending callbacks.
  package static func prepareToWait() throws(WaitingError) {
    if let thread = CallbackThread.current {
      guard thread.handOver() else { throw .tooManyWait(limit: CallbackPool.threadLimit) }
    } else if isCurrent {
      throw .wouldDeadlock
    }
  }
}
