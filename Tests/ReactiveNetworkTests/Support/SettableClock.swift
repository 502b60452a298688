import Foundation
import RxLite
import RxLiteTesting

/// A scheduler whose clock can be set like a system's clock, without effect on its timers.
final class SettableClock: SchedulerType {
  private let scheduler: TestScheduler
  /// The seconds by which the clock is behind the timers.
  var setBack = 0.0
  /// Called once, before the next time the clock is read.
  var beforeReading: (() -> Void)?

  init(_ scheduler: TestScheduler) {
    self.scheduler = scheduler
  }

  var now: RxTime {
    let action = beforeReading
    beforeReading = nil
    action?()
    return scheduler.now.addingTimeInterval(-setBack)
  }

  func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    scheduler.schedule(state, action: action)
  }

  func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    scheduler.scheduleRelative(state, dueTime: dueTime, action: action)
  }
}
