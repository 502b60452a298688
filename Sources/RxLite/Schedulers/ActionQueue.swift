import Dispatch

/// A dispatch queue and the leeway of its timers: the common part of the schedulers on dispatch queues.
struct ActionQueue: Sendable {
  let queue: DispatchQueue
  let leeway: DispatchTimeInterval

  func schedule<StateType>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    let scheduled = ScheduledAction { action(state) }
    scheduled.start(on: queue)
    return scheduled
  }

  func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    let scheduled = ScheduledAction { action(state) }
    scheduled.start(on: queue, at: .now() + dueTime, leeway: leeway)
    return scheduled
  }

  func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping @Sendable (StateType) -> StateType
  ) -> any Disposable {
    var current = state
    return PeriodicAction(on: queue, at: .now() + startAfter, period: period, leeway: leeway) {
      current = action(current)
    }
  }
}

/// A scheduler for which `observe(on:)` delivers many elements in one run.
///
/// Virtual-time schedulers do not conform: there each element is delivered in a separate step.
protocol BatchingScheduler: ImmediateSchedulerType {}

extension ImmediateSchedulerType {
  @usableFromInline var isBatching: Bool { self is any BatchingScheduler }
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
