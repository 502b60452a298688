import Dispatch
import Foundation

/// Knows whether the calling thread is one on which a transport is just reporting.
package enum TransportThread {
  /// Stands for no queue: callbacks run on a thread of the transport, whatever the provider's queue is.
  static let queue = DispatchQueue(label: "NetworkCore.transport-thread")

  /// A key of the process's own; `nil` where the system has none left, which it says for every thread then.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  private static var isCurrent: Bool { key.map { pthread_getspecific($0) != nil } ?? false }

  /// Runs a report of a transport.
  static func run(_ report: () -> Void) {
    guard let key, pthread_getspecific(key) == nil else { return report() }
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
    defer { pthread_setspecific(key, nil) }
    report()
  }

  /// Takes the calling thread, up to its end, for one that reports.
  static func attach() {
    if let key { pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1)) }
  }

  /// Prepares the calling thread to wait for an answer: if it calls callbacks, another thread calls those that wait.
  package static func prepareToWait() throws(WaitingError) {
    if let thread = CallbackThread.current {
      guard thread.handOver() else { throw .tooManyWait(limit: CallbackPool.threadLimit) }
    } else if isCurrent {
      throw .wouldDeadlock
    }
  }
}
