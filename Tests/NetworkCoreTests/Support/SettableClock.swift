import Foundation
import ReactiveNetworkLock
import NetworkCore

/// A clock that a test sets; scheduled actions never run.
final class SettableClock: DelayScheduler {
  let time = Lock(Date(timeIntervalSinceReferenceDate: 0))

  var now: Date { time.withLock { $0 } }

  func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> any Cancellable {
    CancellableToken {}
  }
}
