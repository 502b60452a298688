#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Dispatch

/// A scheduler that runs work on the main queue, and at once if the caller is already on it.
///
/// It is meant for `subscribe(on:)`. Unlike with `MainScheduler`, an action that is scheduled from the main
/// queue never waits, so it can overtake pending actions. As with `MainScheduler`, the program must drain the
/// main queue.
public final class ConcurrentMainScheduler: SchedulerType, Sendable {
  /// A span of time in seconds.
  public typealias TimeInterval = Double

  /// A point in time.
  public typealias Time = Date

  /// The shared instance.
  public static let instance = ConcurrentMainScheduler()

  private let actions = ActionQueue(queue: .main, leeway: .nanoseconds(0))

  private init() {}

  /// The current system time.
  public var now: Date { Date() }

  /// Runs an action at once if the caller is on the main queue, otherwise schedules it there.
  ///
  /// - Parameters:
  ///   - state: passed to the action.
  ///   - action: the work. The disposable that it returns is disposed with the scheduled work.
  /// - Returns: a disposable that cancels the action, or disposes the action's result.
  @preconcurrency public func schedule<StateType>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    DispatchQueue.isMain ? action(state) : actions.schedule(state, action: action)
  }

  /// Schedules an action to run on the main queue after a delay.
  ///
  /// - Parameters:
  ///   - state: passed to the action.
  ///   - dueTime: the delay; zero or less means as soon as possible.
  ///   - action: the work. The disposable that it returns is disposed with the scheduled work.
  /// - Returns: a disposable that stops the timer and releases the action at once.
  @preconcurrency public func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    actions.scheduleRelative(state, dueTime: dueTime, action: action)
  }

  /// Schedules an action to run on the main queue periodically, at multiples of the period after the first
  /// deadline.
  ///
  /// - Parameters:
  ///   - state: passed to the first run; each run returns the state for the next.
  ///   - startAfter: the delay before the first run.
  ///   - period: the time from one deadline to the next.
  ///   - action: the work. Missed runs are merged into one.
  /// - Returns: a disposable that ends the runs and releases the action.
  @preconcurrency public func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping @Sendable (StateType) -> StateType
  ) -> any Disposable {
    actions.schedulePeriodic(state, startAfter: startAfter, period: period, action: action)
  }
}
