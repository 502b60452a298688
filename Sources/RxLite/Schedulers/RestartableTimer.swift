import Dispatch
import ReactiveNetworkLock

/// A timer that several threads may restart.
///
/// Each start has a generation, and a start of an older generation is ignored. So in any order of the calls,
/// the timer ends up with the latest generation. A `SerialDisposable` would keep whichever start comes last.
final class RestartableTimer: Disposable {
  private struct State {
    var latest: UInt64 = 0
    var pending: (any Disposable)?
    var isDisposed = false
  }

  private let state = Lock(State())

  func start(
    _ generation: UInt64, after dueTime: RxTimeInterval, on scheduler: any SchedulerType,
    action: @escaping () -> Void
  ) {
    let timer = SingleAssignmentDisposable()
    let outdated: (any Disposable)? = state.withLock { state in
      guard !state.isDisposed, generation >= state.latest else { return timer }
      state.latest = generation
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
