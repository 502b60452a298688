#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Dispatch

/// Runs work on a concurrent dispatch queue, several actions at a time where threads are free.
///
/// `observe(on:)` keeps the order of the elements on it nevertheless, and delivers several that wait in one
/// run. Periodic work keeps to its first deadline and does not drift; its runs do not overlap, and a run that
/// falls behind is not made up.
public final class ConcurrentDispatchQueueScheduler: SchedulerType, BatchingScheduler, Sendable {
  /// A span of time in seconds.
  public typealias TimeInterval = Double

  /// A point in time.
  public typealias Time = Date

  private let actions: ActionQueue

  /// Makes a scheduler of an existing queue.
  ///
  /// - Parameters:
  ///   - queue: runs the work; a serial queue makes the scheduler serial.
  ///   - leeway: how much later than asked a timer may fire.
  public init(queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    actions = ActionQueue(queue: queue, leeway: leeway)
  }

  /// Makes a scheduler with a new concurrent queue.
  ///
  /// - Parameters:
  ///   - qos: the quality of service of the queue.
  ///   - leeway: how much later than asked a timer may fire.
  public convenience init(qos: DispatchQoS, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    self.init(queue: DispatchQueue(label: "rx.concurrent", qos: qos, attributes: .concurrent), leeway: leeway)
  }

  /// The current time of the system.
  public var now: Date { Date() }

  /// Schedules an action to run as soon as a thread is free.
  ///
  /// - Parameters:
  ///   - state: handed to the action.
  ///   - action: what to do; what it returns is disposed with the scheduled work.
  /// - Returns: disposing it takes the action back and frees it at once.
  public func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    actions.schedule(state, action: action)
  }

  /// Schedules an action to run after a while.
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

  /// Schedules an action to run again and again, at fixed distances from the first deadline.
  ///
  /// - Parameters:
  ///   - state: handed to the first run; each run returns the state of the next.
  ///   - startAfter: how long to wait for the first run.
  ///   - period: the time from one deadline to the next; zero or less means as often as possible.
  ///   - action: what to do; runs that fall behind are merged into one.
  /// - Returns: disposing it ends the runs and frees the action.
  public func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping (StateType) -> StateType
  ) -> any Disposable {
    actions.schedulePeriodic(state, startAfter: startAfter, period: period, action: action)
  }
}
