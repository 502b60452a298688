#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Dispatch

/// A scheduler that runs work on a concurrent dispatch queue, several actions at a time if threads are free.
///
/// `observe(on:)` nevertheless keeps the order of the elements, and delivers several pending elements in one
/// run. The deadlines of periodic work follow the first one at multiples of the period, so delays do not
/// accumulate. Periodic runs do not overlap, and missed runs are skipped.
public final class ConcurrentDispatchQueueScheduler: SchedulerType, BatchingScheduler, Sendable {
  /// A span of time in seconds.
  public typealias TimeInterval = Double

  /// A point in time.
  public typealias Time = Date

  private let actions: ActionQueue

  /// Creates a scheduler on an existing queue.
  ///
  /// - Parameters:
  ///   - queue: runs the work. A serial queue makes the scheduler serial.
  ///   - leeway: how much later than its deadline a timer may fire.
  public init(queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    actions = ActionQueue(queue: queue, leeway: leeway)
  }

  /// Creates a scheduler with a new concurrent queue.
  ///
  /// - Parameters:
  ///   - qos: the quality of service of the queue.
  ///   - leeway: how much later than its deadline a timer may fire.
  public convenience init(qos: DispatchQoS, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    self.init(queue: DispatchQueue(label: "rx.concurrent", qos: qos, attributes: .concurrent), leeway: leeway)
  }

  /// The current system time.
  public var now: Date { Date() }

  /// Schedules an action to run as soon as a thread is free.
  ///
  /// - Parameters:
  ///   - state: passed to the action.
  ///   - action: the work. The disposable that it returns is disposed with the scheduled work.
  /// - Returns: a disposable that cancels the action and releases it at once.
  @preconcurrency public func schedule<StateType>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    actions.schedule(state, action: action)
  }

  /// Schedules an action to run after a delay.
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

  /// Schedules an action to run periodically, at multiples of the period after the first deadline.
  ///
  /// - Parameters:
  ///   - state: passed to the first run; each run returns the state for the next.
  ///   - startAfter: the delay before the first run.
  ///   - period: the time from one deadline to the next; zero or less means as often as possible.
  ///   - action: the work. Missed runs are merged into one.
  /// - Returns: a disposable that ends the runs and releases the action.
  @preconcurrency public func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping @Sendable (StateType) -> StateType
  ) -> any Disposable {
    actions.schedulePeriodic(state, startAfter: startAfter, period: period, action: action)
  }
}
