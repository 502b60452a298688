import Foundation
import RxLite
@testable import RxLiteTestSupport

/// Runs its actions on request, including disposed ones and timers, and counts the disposables that it has
/// returned.
final class ManualScheduler: SchedulerType {
  /// `true` if actions that are scheduled from now on run at once.
  var runsAtOnce = false
  private let liveCount: TrackedObject.LiveCount
  private var waiting: [() -> Void] = []

  init(_ liveCount: TrackedObject.LiveCount = TrackedObject.LiveCount()) {
    self.liveCount = liveCount
  }

  var now: RxTime { RxTime(timeIntervalSince1970: 0) }

  func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    if runsAtOnce { return action(state) }
    waiting.append { _ = action(state) }
    let tracked = TrackedObject(in: liveCount)
    return Disposables.create(with: { _ = tracked.value })
  }

  func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    schedule(state, action: action)
  }

  func runNext() {
    if !waiting.isEmpty { waiting.removeFirst()() }
  }

  func drain() {
    while !waiting.isEmpty { runNext() }
  }
}
