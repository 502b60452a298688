#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Dispatch

/// Runs work on a serial dispatch queue, one action after the other in the order they were scheduled.
///
/// Whatever queue it is given, the scheduler puts a serial queue of its own in front, so the order holds on a
/// concurrent queue too. Several elements that wait for `observe(on:)` are delivered in one run. Periodic
/// work keeps to its first deadline and does not drift; a run that falls behind is not made up.
///
/// ```swift
/// let background = SerialDispatchQueueScheduler(qos: .utility)
/// Observable.of("a", "b")
///   .observe(on: background)
///   .subscribe(onNext: { print($0) })
///   .disposed(by: bag)
/// ```
public class SerialDispatchQueueScheduler: SchedulerType, BatchingScheduler, @unchecked Sendable {
  // Sendable: the one stored property is immutable, and the one subclass adds an atomic.

  /// A span of time in seconds.
  public typealias TimeInterval = Double

  /// A point in time.
  public typealias Time = Date

  let actions: ActionQueue

  init(serialQueue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    actions = ActionQueue(queue: serialQueue, leeway: leeway)
  }

  /// Makes a scheduler with a new queue.
  ///
  /// - Parameters:
  ///   - internalSerialQueueName: the label of the queue.
  ///   - serialQueueConfiguration: gets the queue while it is inactive, say to set its target.
  ///   - leeway: how much later than asked a timer may fire.
  public convenience init(
    internalSerialQueueName: String, serialQueueConfiguration: ((DispatchQueue) -> Void)? = nil,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    // Only an inactive queue lets its target be set.
    let queue = DispatchQueue(label: internalSerialQueueName, attributes: .initiallyInactive)
    serialQueueConfiguration?(queue)
    queue.activate()
    self.init(serialQueue: queue, leeway: leeway)
  }

  /// Makes a scheduler whose work runs on an existing queue.
  ///
  /// - Parameters:
  ///   - queue: the target of the scheduler's own serial queue; may be concurrent.
  ///   - internalSerialQueueName: the label of the scheduler's own queue.
  ///   - leeway: how much later than asked a timer may fire.
  public convenience init(
    queue: DispatchQueue, internalSerialQueueName: String, leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    self.init(serialQueue: DispatchQueue(label: internalSerialQueueName, target: queue), leeway: leeway)
  }

  /// Makes a scheduler whose work runs on a global queue.
  ///
  /// - Parameters:
  ///   - qos: selects the global queue.
  ///   - internalSerialQueueName: the label of the scheduler's own queue.
  ///   - leeway: how much later than asked a timer may fire.
  public convenience init(
    qos: DispatchQoS, internalSerialQueueName: String = "rx.global_dispatch_queue.serial",
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    self.init(
      queue: .global(qos: qos.qosClass), internalSerialQueueName: internalSerialQueueName, leeway: leeway)
  }

  /// The current time of the system.
  public final var now: Date { Date() }

  /// Schedules an action to run as soon as the queue comes to it.
  ///
  /// - Parameters:
  ///   - state: handed to the action.
  ///   - action: what to do; what it returns is disposed with the scheduled work.
  /// - Returns: disposing it takes the action back and frees it at once.
  public final func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    scheduleInternal(state, action: action)
  }

  /// What `schedule` does; the main scheduler does it at once where it can.
  func scheduleInternal<StateType>(
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
  public final func scheduleRelative<StateType>(
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
  public final func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping (StateType) -> StateType
  ) -> any Disposable {
    actions.schedulePeriodic(state, startAfter: startAfter, period: period, action: action)
  }
}
