public import Dispatch

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A scheduler whose clock moves only on request, from one scheduled action to the next.
///
/// Nothing waits: a day of timers runs in an instant, and each run has the same result. Actions with the same
/// time run in the order in which they were scheduled.
///
/// ```swift
/// let scheduler = HistoricalScheduler()
/// _ = scheduler.scheduleRelative("wake up", dueTime: .seconds(3600)) { message in
///   print(message, scheduler.clock)
///   return Disposables.create()
/// }
/// scheduler.start()
/// ```
///
/// Only one thread at a time may use it, to schedule or to run; scheduled actions may be disposed on any
/// thread.
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType, @unchecked Sendable {
  // Sendable by contract, not by a lock: the scheduler has to be deterministic, so one thread drives it.

  /// A point in virtual time.
  public typealias VirtualTime = Converter.VirtualTimeUnit

  /// A span of virtual time.
  public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

  /// The current virtual time.
  public private(set) var clock: VirtualTime

  private let converter: Converter
  private var queue: VirtualTimeQueue<VirtualTime>
  private var isRunning = false
  // A separate flag, because the scheduler still runs the action that has called `stop()`.
  private var isStopped = false

  /// Creates a scheduler.
  ///
  /// - Parameters:
  ///   - initialClock: the initial time of the clock.
  ///   - converter: defines the units of the clock.
  public init(initialClock: VirtualTime, converter: Converter) {
    clock = initialClock
    self.converter = converter
    queue = VirtualTimeQueue { converter.compareVirtualTime($0, $1) == .lessThan }
  }

  /// The real time of the clock.
  public var now: RxTime { converter.convertFromVirtualTime(clock) }

  /// Schedules an action for the current time, as `scheduleRelative` does for a span of zero.
  ///
  /// - Parameters:
  ///   - state: passed to the action.
  ///   - action: the work. The disposable that it returns is disposed with the scheduled work.
  /// - Returns: a disposable that cancels the action, or disposes the action's result.
  @preconcurrency public func schedule<StateType>(
    _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    scheduleRelative(state, dueTime: .nanoseconds(0), action: action)
  }

  /// Schedules an action to run after a span of real time, at the time that `adjustScheduledTime` returns.
  ///
  /// - Parameters:
  ///   - state: passed to the action.
  ///   - dueTime: the delay; with `.never` the action does not run.
  ///   - action: the work. The disposable that it returns is disposed with the scheduled work.
  /// - Returns: a disposable that cancels the action, or disposes the action's result.
  @preconcurrency public func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    guard let seconds = dueTime.seconds else { return Disposables.create() }
    // Not added to `now`: a date cannot hold a tick that is much shorter than a microsecond.
    let span = converter.convertToVirtualTimeInterval(seconds)
    let time = converter.offsetVirtualTime(clock, offset: span)
    return scheduleAbsoluteVirtual(state, time: adjustScheduledTime(time), action: action)
  }

  /// Schedules an action to run after a span of virtual time, without adjusting it.
  ///
  /// - Parameters:
  ///   - state: passed to the action.
  ///   - dueTime: the delay.
  ///   - action: the work. The disposable that it returns is disposed with the scheduled work.
  /// - Returns: a disposable that cancels the action, or disposes the action's result.
  @preconcurrency public func scheduleRelativeVirtual<StateType>(
    _ state: StateType, dueTime: VirtualTimeInterval,
    action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    scheduleAbsoluteVirtual(state, time: converter.offsetVirtualTime(clock, offset: dueTime), action: action)
  }

  /// Schedules an action to run at a virtual time, without adjusting it.
  ///
  /// - Parameters:
  ///   - state: passed to the action.
  ///   - time: the time of the run. If it is before the clock, the action runs next and the clock is not
  ///     turned back.
  ///   - action: the work. The disposable that it returns is disposed with the scheduled work.
  /// - Returns: a disposable that cancels the action, or disposes the action's result.
  @preconcurrency public func scheduleAbsoluteVirtual<StateType>(
    _ state: StateType, time: VirtualTime, action: @escaping @Sendable (StateType) -> any Disposable
  ) -> any Disposable {
    let scheduled = ScheduledAction { action(state) }
    queue.insert(scheduled, at: time)
    return scheduled
  }

  /// Returns the time at which an action that is scheduled for `time` runs; override it to simulate
  /// processing time.
  ///
  /// - Parameter time: the requested time.
  /// - Returns: `time`, unless overridden.
  open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime {
    time
  }

  /// Runs all actions, and the actions that they schedule, until none is left or `stop()` is called.
  ///
  /// A call from inside an action does nothing.
  public func start() {
    guard !isRunning else { return }
    run { _ in true }
  }

  /// Runs all actions up to and including a virtual time, and sets the clock to that time.
  ///
  /// - Parameter virtualTime: the time. If it is before the clock, no later action runs and the clock is
  ///   turned back, as when a system clock is set.
  /// - Precondition: the scheduler is not running an action, not even one that has called `stop()`.
  public func advanceTo(_ virtualTime: VirtualTime) {
    precondition(!isRunning, "advanceTo(_:) was called from inside a scheduled action.")
    run { converter.compareVirtualTime($0, virtualTime) != .greaterThan }
    clock = virtualTime
  }

  /// Advances the clock without running actions; actions that become due are late and run next.
  ///
  /// - Parameter virtualInterval: the span.
  /// - Precondition: the span is not negative.
  public func sleep(_ virtualInterval: VirtualTimeInterval) {
    let time = converter.offsetVirtualTime(clock, offset: virtualInterval)
    precondition(
      converter.compareVirtualTime(time, clock) != .lessThan, "sleep(_:) cannot turn the clock back.")
    clock = time
  }

  /// Stops `start()` or `advanceTo(_:)` after the running action.
  public func stop() {
    isStopped = true
  }

  private func run(while isDue: (VirtualTime) -> Bool) {
    (isRunning, isStopped) = (true, false)
    while !isStopped, let next = queue.first(), isDue(next.time) {
      queue.removeFirst()
      if converter.compareVirtualTime(next.time, clock) == .greaterThan { clock = next.time }
      next.action.run()
    }
    isRunning = false
  }
}

extension VirtualTimeScheduler: CustomDebugStringConvertible {
  /// The clock, and the times of the pending actions.
  public var debugDescription: String {
    "VirtualTimeScheduler(clock: \(clock), pending: \(queue.pending.map(\.time)))"
  }
}
