import Dispatch
import Foundation

/// Knows whether the calling thread is one on which a transport is just reporting.
enum TransportThread {
  /// Stands for no queue: callbacks run on the transport's thread, whatever the provider's queue is.
  static let queue = DispatchQueue(label: "NetworkCore.transport-thread")

  /// A key of the process's own; `nil` where the system has none left, which it says for every thread then.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  static var isCurrent: Bool { key.map { pthread_getspecific($0) != nil } ?? false }

  /// Runs a report of a transport.
  static func run(_ report: () -> Void) {
    guard let key, pthread_getspecific(key) == nil else { return report() }
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
    defer { pthread_setspecific(key, nil) }
    report()
  }
}
