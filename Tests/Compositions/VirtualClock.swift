import Foundation
import NetworkCore
import ReactiveNetworkLock
import RxLite

/// A virtual clock for the operators, layers and policies of a program.
///
/// The transports report on their own threads, which `VirtualTimeScheduler` does not allow.
final class VirtualClock: SchedulerType, Sendable {
  private let time = ManualDelayScheduler()

  /// The same clock for policies.
  var delays: any DelayScheduler { time }

  var now: RxTime { time.now }

  /// The number of actions that have not run.
  var pendingCount: Int { time.pendingCount }

  func advance(by duration: Duration) { time.advance(by: duration) }

  func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    scheduleRelative(state, dueTime: .nanoseconds(0), action: action)
  }

  func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let result = SingleAssignmentDisposable()
    let work = VirtualAction { result.setDisposable(action(state)) }
    let token = time.schedule(after: .inSeconds(dueTime.inSeconds)) { work.run() }
    return Disposables.create(result, Disposables.create { token.cancel() })
  }
}

/// An action of a scheduler.
///
/// `@unchecked Sendable` because any thread may schedule work on a scheduler, and the clock runs it once.
private struct VirtualAction: @unchecked Sendable {
  let run: () -> Void
}
