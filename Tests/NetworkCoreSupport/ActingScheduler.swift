import Foundation
import NetworkCore
import ReactiveNetworkLock

/// A manual scheduler that performs an action within the next call of `schedule`, as another thread could.
final class ActingScheduler: DelayScheduler {
  let time = ManualDelayScheduler()
  /// Performed once, before the delay begins.
  let action = Lock<(@Sendable () -> Void)?>(nil)

  var now: Date { time.now }
  var uptime: Duration { time.uptime }

  func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> any Cancellable {
    let act = self.action.withLock { action in
      defer { action = nil }
      return action
    }
    act?()
    return time.schedule(after: delay, action)
  }
}
