import Dispatch

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A scheduler that runs its actions on a dispatch queue.
///
/// Its extension implements `SchedulerType` for all of these schedulers. `observe(on:)` and `delay` deliver
/// several pending elements in one run, and spans are measured with the clock of the timers. Virtual-time
/// schedulers do not conform: there each element is delivered in a separate step.
protocol DispatchScheduler: SchedulerType {
  var queue: DispatchQueue { get }

  /// How much later than its deadline a timer may fire.
  var leeway: DispatchTimeInterval { get }
}

extension DispatchScheduler {
  /// The current system time.
  public var now: Date { Date() }

  /// Schedules an action to run as soon as the queue reaches it.
  @preconcurrency public func schedule<StateType>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    enqueue(state, action)
  }

  /// Schedules an action to run on the queue after a delay; disposal releases it at once.
  @preconcurrency public func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    let scheduled = ScheduledAction { action(state) }
    scheduled.start(on: queue, at: .now() + dueTime, leeway: leeway)
    return scheduled
  }

  /// Schedules an action to run periodically, at multiples of the period after the first deadline.
  @preconcurrency public func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping @Sendable (StateType) -> StateType
  ) -> any Disposable {
    var current = state
    return PeriodicAction(on: queue, at: .now() + startAfter, period: period, leeway: leeway) {
      current = action(current)
    }
  }

  /// Queues an action; `finally` runs after it, even if the action was disposed.
  func enqueue<StateType>(
    _ state: StateType, _ action: @escaping @Sendable (StateType) -> any Disposable,
    finally: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    let scheduled = ScheduledAction { action(state) }
    queue.async {
      scheduled.run()
      finally?()
    }
    return scheduled
  }
}

extension ImmediateSchedulerType {
  @usableFromInline var isDispatching: Bool { self is any DispatchScheduler }
}

extension SchedulerType {
  /// Reads the time with which operators measure spans.
  ///
  /// On a dispatch queue, it is the clock of the timers: unlike the system clock, it is never set.
  @usableFromInline package var spanClock: () -> RxTime {
    guard isDispatching else { return { now } }
    return { RxTime(timeIntervalSinceReferenceDate: Double(DispatchTime.now().uptimeNanoseconds) / 1e9) }
  }
}

extension DispatchQueue {
  private static let mainKey: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  /// Whether the caller is on the main queue.
  static var isMain: Bool { DispatchQueue.getSpecific(key: mainKey) != nil }
}
