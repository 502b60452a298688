public import Dispatch

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A scheduler whose clock moves only when it is told to, from one scheduled action to the next.
///
/// Nothing waits: a day of timers runs in an instant, the same way each time. Actions of the same time
/// run in the order in which they were scheduled.
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
/// One thread at a time may use it, whether to schedule or to run; scheduled actions may be disposed on any.
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType, @unchecked Sendable {
  // Sendable by contract, not by a lock: the scheduler is there to be deterministic, so it is driven by one thread.

  /// A point in virtual time.
  public typealias VirtualTime = Converter.VirtualTimeUnit

  /// A span of virtual time.
  public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

  /// The current virtual time.
  public private(set) var clock: VirtualTime

  private let converter: Converter
  private var queue: VirtualTimeQueue<VirtualTime>
  private var isRunning = false

  /// Makes a scheduler.
  ///
  /// - Parameters:
  ///   - initialClock: what the clock shows at first.
  ///   - converter: tells what the clock counts.
  public init(initialClock: VirtualTime, converter: Converter) {
    clock = initialClock
    self.converter = converter
    queue = VirtualTimeQueue { converter.compareVirtualTime($0, $1) == .lessThan }
  }

  /// The real time that the clock stands for.
  public var now: RxTime { converter.convertFromVirtualTime(clock) }

  /// Schedules an action for the current time, as `scheduleRelative` does for a span of zero.
  ///
  /// - Parameters:
  ///   - state: handed to the action.
  ///   - action: what to do; what it returns is disposed with the scheduled work.
  /// - Returns: disposing it takes the action back, or disposes what the action returned.
  public func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    scheduleRelative(state, dueTime: .nanoseconds(0), action: action)
  }

  /// Schedules an action to run after a span of real time, at the time that `adjustScheduledTime` makes of it.
  ///
  /// - Parameters:
  ///   - state: handed to the action.
  ///   - dueTime: how long to wait; the action of `.never` does not run.
  ///   - action: what to do; what it returns is disposed with the scheduled work.
  /// - Returns: disposing it takes the action back, or disposes what the action returned.
  public func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    guard let seconds = dueTime.seconds else { return Disposables.create() }
    let time = converter.convertToVirtualTime(now.addingTimeInterval(seconds))
    return scheduleAbsoluteVirtual(state, time: adjustScheduledTime(time), action: action)
  }

  /// Schedules an action to run after a span of virtual time, without adjusting it.
  ///
  /// - Parameters:
  ///   - state: handed to the action.
  ///   - dueTime: how long to wait.
  ///   - action: what to do; what it returns is disposed with the scheduled work.
  /// - Returns: disposing it takes the action back, or disposes what the action returned.
  public func scheduleRelativeVirtual<StateType>(
    _ state: StateType, dueTime: VirtualTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    scheduleAbsoluteVirtual(state, time: converter.offsetVirtualTime(clock, offset: dueTime), action: action)
  }

  /// Schedules an action to run at a virtual time, without adjusting it.
  ///
  /// - Parameters:
  ///   - state: handed to the action.
  ///   - time: when to run; a time before the clock means next, and does not turn the clock back.
  ///   - action: what to do; what it returns is disposed with the scheduled work.
  /// - Returns: disposing it takes the action back, or disposes what the action returned.
  public func scheduleAbsoluteVirtual<StateType>(
    _ state: StateType, time: VirtualTime, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let scheduled = ScheduledAction { action(state) }
    queue.insert(scheduled, at: time)
    return scheduled
  }

  /// The time at which an action scheduled for `time` is to run; override it to simulate that work takes time.
  ///
  /// - Parameter time: when the action was meant to run.
  /// - Returns: `time`, unless overridden.
  open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime {
    time
  }

  /// Runs all actions, and those they schedule, until none is left or `stop()` is called.
  ///
  /// Called from inside an action it does nothing.
  public func start() {
    guard !isRunning else { return }
    run { _ in true }
  }

  /// Runs all actions up to a virtual time, that time included, and leaves the clock there.
  ///
  /// - Parameter virtualTime: how far to go; a time before the clock runs nothing that is due later, and turns the clock back, as
  ///   when the clock of a system is set.
  /// - Precondition: the scheduler is not running.
  public func advanceTo(_ virtualTime: VirtualTime) {
    precondition(!isRunning, "advanceTo(_:) was called from inside a scheduled action.")
    run { converter.compareVirtualTime($0, virtualTime) != .greaterThan }
    clock = virtualTime
  }

  /// Moves the clock without running anything: what was due meanwhile is late and runs next.
  ///
  /// - Parameter virtualInterval: how far to go.
  /// - Precondition: the span is not negative.
  public func sleep(_ virtualInterval: VirtualTimeInterval) {
    let time = converter.offsetVirtualTime(clock, offset: virtualInterval)
    precondition(
      converter.compareVirtualTime(time, clock) != .lessThan, "sleep(_:) cannot turn the clock back.")
    clock = time
  }

  /// Ends `start()` or `advanceTo(_:)` after the action that is running.
  public func stop() {
    isRunning = false
  }

  private func run(while isDue: (VirtualTime) -> Bool) {
    isRunning = true
    while isRunning, let next = queue.first(), isDue(next.time) {
      queue.removeFirst()
      if converter.compareVirtualTime(next.time, clock) == .greaterThan { clock = next.time }
      next.action.run()
    }
    isRunning = false
  }
}

extension VirtualTimeScheduler: CustomDebugStringConvertible {
  /// The clock, and the times of the actions to come.
  public var debugDescription: String {
    "VirtualTimeScheduler(clock: \(clock), pending: \(queue.pending.map(\.time)))"
  }
}
