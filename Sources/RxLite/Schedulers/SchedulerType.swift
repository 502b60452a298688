#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Dispatch

/// A span of time.
public typealias RxTimeInterval = DispatchTimeInterval

/// A point in time.
public typealias RxTime = Date

/// A scheduler, which runs work now or later, on this thread or another one.
///
/// It is `Sendable` because operators schedule from the threads on which their events arrive.
@preconcurrency public protocol ImmediateSchedulerType: Sendable {
  /// Schedules an action to run as soon as possible.
  ///
  /// - Parameters:
  ///   - state: passed to the action.
  ///   - action: the work. The disposable that it returns is disposed with the scheduled work.
  /// - Returns: a disposable that cancels the action, or disposes the action's result.
  @preconcurrency func schedule<StateType>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable
}

/// A scheduler with a clock.
public protocol SchedulerType: ImmediateSchedulerType {
  /// The current time of the scheduler.
  var now: RxTime { get }

  /// Schedules an action to run after a delay.
  ///
  /// - Parameters:
  ///   - state: passed to the action.
  ///   - dueTime: the delay; zero or less means as soon as possible.
  ///   - action: the work.
  /// - Returns: a disposable that cancels the action.
  @preconcurrency func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable

  /// Schedules an action to run periodically.
  ///
  /// - Parameters:
  ///   - state: passed to the first run; each run returns the state for the next.
  ///   - startAfter: the delay before the first run.
  ///   - period: the time from one run to the next.
  ///   - action: the work.
  /// - Returns: a disposable that ends the runs.
  @preconcurrency func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping @Sendable (StateType) -> StateType
  ) -> any Disposable
}

extension SchedulerType {
  /// Schedules each run one period after the start of the previous one.
  ///
  /// Runs never overlap and none is lost: a run that becomes due during another one follows it, on the same
  /// thread. On a scheduler that runs everything at once, each run follows the previous one.
  @preconcurrency public func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping @Sendable (StateType) -> StateType
  ) -> any Disposable {
    let ticks = SerializedPeriodicAction(state, action)
    ticks.timer.setDisposable(
      scheduleRecursive((), dueTime: startAfter) { (_: Void, recurse) in
        recurse((), period)
        ticks.tick()
      })
    return ticks
  }
}
