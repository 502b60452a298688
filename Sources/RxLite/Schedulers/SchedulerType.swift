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

/// Runs work: now or in a while, here or elsewhere.
public protocol ImmediateSchedulerType {
  /// Schedules an action to run as soon as possible.
  ///
  /// - Parameters:
  ///   - state: handed to the action.
  ///   - action: what to do; what it returns is disposed with the scheduled work.
  /// - Returns: disposing it takes the action back, or disposes what the action returned.
  func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable
}

/// A scheduler with a clock.
public protocol SchedulerType: ImmediateSchedulerType {
  /// The scheduler's notion of the current time.
  var now: RxTime { get }

  /// Schedules an action to run after a while.
  ///
  /// - Parameters:
  ///   - state: handed to the action.
  ///   - dueTime: how long to wait; zero or less means as soon as possible.
  ///   - action: what to do.
  /// - Returns: disposing it takes the action back.
  func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable

  /// Schedules an action to run again and again.
  ///
  /// - Parameters:
  ///   - state: handed to the first run; each run returns the state of the next.
  ///   - startAfter: how long to wait for the first run.
  ///   - period: the time from one run to the next.
  ///   - action: what to do.
  /// - Returns: disposing it ends the runs.
  func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping (StateType) -> StateType
  ) -> any Disposable
}

extension SchedulerType {
  /// Schedules each run a period after the one before it has begun.
  ///
  /// Runs never overlap and none is lost: one that comes due while another lasts follows it, on the same thread. On a scheduler
  /// that runs everything at once, a run follows the one before it.
  public func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping (StateType) -> StateType
  ) -> any Disposable {
    let ticks = PeriodicTicks(state, action)
    ticks.timer.setDisposable(
      scheduleRecursive((), dueTime: startAfter) { (_: Void, recurse) in
        recurse((), period)
        ticks.add()
      })
    return ticks
  }
}
