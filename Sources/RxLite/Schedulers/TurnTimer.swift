import Dispatch
import ReactiveNetworkLock

/// A timer that is restarted for each turn.
///
/// Turns are numbered, and an outdated turn cannot start the timer. So several threads may begin turns: in
/// any order of their calls, the timer ends up with the latest turn.
final class TurnTimer: Disposable {
  private struct State {
    var latest: UInt64 = 0
    var pending: (any Disposable)?
    var isDisposed = false
  }

  private let state = Lock(State())

  func start(
    _ turn: UInt64, after dueTime: RxTimeInterval, on scheduler: any SchedulerType,
    action: @escaping () -> Void
  ) {
    let timer = SingleAssignmentDisposable()
    let outdated: (any Disposable)? = state.withLock { state in
      guard !state.isDisposed, turn >= state.latest else { return timer }
      state.latest = turn
      defer { state.pending = timer }
      return state.pending
    }
    outdated?.dispose()
    guard !timer.isDisposed else { return }
    timer.setDisposable(
      scheduler.scheduleRelative((), dueTime: dueTime) {
        action()
        return Disposables.create()
      })
  }

  func dispose() {
    let pending = state.withLock { state in
      state.isDisposed = true
      return state.pending.take()
    }
    pending?.dispose()
  }
}
