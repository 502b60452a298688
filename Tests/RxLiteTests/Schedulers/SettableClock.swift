import Foundation
import RxLite
import RxLiteTesting

/// A scheduler whose clock can be set back, like a system clock, while its timers continue.
final class SettableClock: SchedulerType {
  private let scheduler: TestScheduler
  /// Called once, during the next reading of the clock: after the time is read, and before it is returned.
  var meanwhile: (() -> Void)?
  /// The number of seconds that the clock is behind the timers.
  var setBack = 0.0

  init(_ scheduler: TestScheduler) {
    self.scheduler = scheduler
  }

  var now: RxTime {
    let reading = scheduler.now.addingTimeInterval(-setBack)
    if let meanwhile {
      self.meanwhile = nil
      meanwhile()
    }
    return reading
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
