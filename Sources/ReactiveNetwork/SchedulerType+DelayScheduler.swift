import Foundation
public import NetworkCore
import ReactiveNetworkLock
public import RxLite

extension SchedulerType {
  /// Returns a delay scheduler for a provider: delayed stubs, retries and progress then wait on this
  /// scheduler.
  ///
  /// ```swift
  /// let scheduler = TestScheduler(initialClock: 0)
  /// let provider = NetworkProvider<GitHub>(
  ///   stubClosure: NetworkProvider.delayedStub(5), scheduler: scheduler.asDelayScheduler())
  /// ```
  ///
  /// With a virtual scheduler, everything that a provider does in time happens in virtual time, on the thread
  /// that runs the scheduler. Only one thread at a time may use such a scheduler: give the provider no
  /// callback queue, and use stubs for its requests.
  ///
  /// - Returns: the delay scheduler, which retains this scheduler.
  public func asDelayScheduler() -> any DelayScheduler {
    ReactiveDelayScheduler(scheduler: self)
  }
}

/// A scheduler as a delay scheduler.
private struct ReactiveDelayScheduler: DelayScheduler {
  let scheduler: any SchedulerType

  var now: Date { scheduler.now }

  var uptime: Duration { .inSeconds(scheduler.spanClock().timeIntervalSinceReferenceDate) }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    // Three centuries, the longest interval in nanoseconds, mean never.
    let dueTime =
      delay > .seconds(Int64.max / 1_000_000_000) ? .never : RxTimeInterval.inSeconds(delay.inSeconds)
    let work = scheduler.scheduleRelative((), dueTime: dueTime) { _ in
      action()
      return Disposables.create()
    }
    return CancellableToken { work.dispose() }
  }
}
