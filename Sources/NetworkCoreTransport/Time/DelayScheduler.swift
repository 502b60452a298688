internal import Dispatch
public import Foundation
internal import ReactiveNetworkLock

/// Runs actions after a delay.
///
/// A provider uses it for stubs, retries and every other delay.
///
/// In a test, give the provider a `ManualDelayScheduler` or your own scheduler, and advance the time
/// explicitly.
public protocol DelayScheduler: Sendable {
  /// The current time.
  var now: Date { get }

  /// The time since an arbitrary moment, by which policies measure how long something takes.
  ///
  /// It should never be set back, unlike the system's time: policies lose the time by which it was. A scheduler in
  /// virtual time returns the time by which it has advanced. It is read while no lock is held.
  var uptime: Duration { get }

  /// Runs an action after a delay, on a thread that the scheduler chooses.
  ///
  /// - Parameters:
  ///   - delay: the delay; zero or less runs the action without a delay, and one of centuries never.
  ///   - action: the closure to run, once.
  /// - Returns: a token that cancels the action if it has not run yet.
  func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> any Cancellable
}

/// Runs actions on a global queue of Dispatch, or on a thread of its own if there is no delay; the default
/// scheduler of a provider.
public struct DispatchDelayScheduler: DelayScheduler {
  /// Runs the actions without a delay: other requests may depend on them, and the program may block every
  /// thread of the global queues.
  private static let immediate = CallbackPool()

  /// Makes a scheduler.
  public init() {}

  /// The system's time.
  public var now: Date { Date() }

  /// The time since the system started, without that in which it slept.
  public var uptime: Duration { .nanoseconds(DispatchTime.now().uptimeNanoseconds) }

  /// Runs an action after a delay on a global queue; without a delay, soon and on a thread that is not one of
  /// Dispatch, where an action that waits does not delay the next ones.
  ///
  /// A cancelled action leaves no timer behind, so that the many waits which end early cost no memory.
  public func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let item = PendingAction(action)
    if delay > .zero {
      item.start(after: delay.inSeconds)
    } else {
      Self.immediate.call { item.run() }
    }
    return item
  }
}
