internal import Dispatch
public import Foundation

/// Runs actions after a delay.
///
/// A provider uses it for stubs, retries and every other delay.
///
/// In a test, give the provider a `ManualDelayScheduler` or your own scheduler, and advance the time
/// explicitly.
public protocol DelayScheduler: Sendable {
  /// The current time.
  var now: Date { get }

  /// The seconds since an arbitrary moment, by which policies measure how long something takes.
  ///
  /// By default, they follow `now`, which may be set back: policies then lose the time by which it was. A clock that is
  /// never set loses none. It is read while no lock is held.
  var uptime: TimeInterval { get }

  /// Runs an action after a delay, on a thread that the scheduler chooses.
  ///
  /// - Parameters:
  ///   - seconds: the delay; 0 or less, or NaN, runs the action without a delay, and infinity never.
  ///   - action: the closure to run, once.
  /// - Returns: a token that cancels the action if it has not run yet.
  func schedule(after seconds: TimeInterval, _ action: @escaping @Sendable () -> Void) -> any Cancellable
}

extension DelayScheduler {
  /// The time of `now`.
  public var uptime: TimeInterval { now.timeIntervalSinceReferenceDate }
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

  /// The seconds since the system started, without those in which it slept.
  public var uptime: TimeInterval { TimeInterval(DispatchTime.now().uptimeNanoseconds) / 1e9 }

  /// Runs an action after a delay on a global queue; without a delay, soon and on a thread that is not one of
  /// Dispatch, where an action that waits does not delay the next ones.
  ///
  /// A cancelled action leaves no timer behind, so that the many waits which end early cost no memory.
  public func schedule(
    after seconds: TimeInterval, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let item = PendingAction(action)
    if seconds > 0 {
      item.start(after: seconds)
    } else {
      Self.immediate.call { item.run() }
    }
    return item
  }
}
