import Foundation
import ReactiveNetworkLock
import NetworkCore

/// A clock that a test sets, also back, and with it the uptime; scheduled actions never run.
final class SettableClock: DelayScheduler {
  let time = Lock(Date(timeIntervalSinceReferenceDate: 0))

  var now: Date { time.withLock { $0 } }
  var uptime: Duration { .inSeconds(now.timeIntervalSinceReferenceDate) }

  func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> any Cancellable {
    CancellableToken {}
  }
}
