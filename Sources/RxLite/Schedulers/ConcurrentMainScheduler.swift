#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Dispatch

/// Runs work on the main queue, always at once where the caller is on it already.
///
/// Meant for `subscribe(on:)`: unlike with `MainScheduler`, what is scheduled on the main queue never waits,
/// so the order of actions is not kept. What `MainScheduler` says about draining the main queue holds here
/// too.
public final class ConcurrentMainScheduler: SchedulerType, Sendable {
  /// A span of time in seconds.
  public typealias TimeInterval = Double

  /// A point in time.
  public typealias Time = Date

  /// The one instance.
  public static let instance = ConcurrentMainScheduler()

  private let actions = ActionQueue(queue: .main, leeway: .nanoseconds(0))

  private init() {}

  /// The current time of the system.
  public var now: Date { Date() }

  /// Runs an action at once on the main queue, otherwise schedules it there.
  ///
  /// - Parameters:
  ///   - state: handed to the action.
  ///   - action: what to do; what it returns is disposed with the scheduled work.
  /// - Returns: disposing it takes the action back, or disposes what the action returned.
  public func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    DispatchQueue.isMain ? action(state) : actions.schedule(state, action: action)
  }

  /// Schedules an action to run on the main queue after a while.
  ///
  /// - Parameters:
  ///   - state: handed to the action.
  ///   - dueTime: how long to wait; zero or less means as soon as possible.
  ///   - action: what to do; what it returns is disposed with the scheduled work.
  /// - Returns: disposing it stops the timer and frees the action at once.
  public func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    actions.scheduleRelative(state, dueTime: dueTime, action: action)
  }

  /// Schedules an action to run on the main queue again and again, at fixed distances from the first
  /// deadline.
  ///
  /// - Parameters:
  ///   - state: handed to the first run; each run returns the state of the next.
  ///   - startAfter: how long to wait for the first run.
  ///   - period: the time from one deadline to the next.
  ///   - action: what to do; runs that fall behind are merged into one.
  /// - Returns: disposing it ends the runs and frees the action.
  public func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping (StateType) -> StateType
  ) -> any Disposable {
    actions.schedulePeriodic(state, startAfter: startAfter, period: period, action: action)
  }
}
