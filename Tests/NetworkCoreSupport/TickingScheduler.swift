import Foundation
import ReactiveNetworkLock
import NetworkCore

/// A clock that advances one second each time it is read; scheduled actions never run.
final class TickingScheduler: DelayScheduler {
  private let ticks = Lock(0)

  var now: Date {
    let tick = ticks.withLock { ticks in
      ticks += 1
      return ticks
    }
    return Date(timeIntervalSinceReferenceDate: Double(tick))
  }
  var uptime: Duration { .inSeconds(now.timeIntervalSinceReferenceDate) }

  func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> any Cancellable {
    CancellableToken {}
  }
}
