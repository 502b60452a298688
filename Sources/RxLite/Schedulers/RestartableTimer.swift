public import Dispatch
import ReactiveNetworkLock

/// A timer that several threads may restart.
///
/// Each start has a generation, and a start of an older generation is ignored. So in any order of the calls,
/// the timer ends up with the latest generation. A `SerialDisposable` would keep whichever start comes last.
///
/// On dispatch queues, a restart only moves the deadline, and a timer that fires too early waits for the
/// rest: a dispatch timer for each element would cost microseconds. On other schedulers each start schedules
/// an action, because in virtual time the order of simultaneous actions is that of scheduling.
@usableFromInline final class RestartableTimer: Disposable {
  private struct State {
    var latest: UInt64 = 0
    var deadline = DispatchTime.distantFuture
    var pending: SingleAssignmentDisposable?
    var isDisposed = false
  }

  private enum Step {
    case stop
    case run(UInt64)
    case wait(SingleAssignmentDisposable, RxTimeInterval, outdated: SingleAssignmentDisposable?)
  }

  private let state = Lock(State())
  private let dueTime: RxTimeInterval
  private let scheduler: any SchedulerType
  private let movesDeadline: Bool
  private let action: @Sendable (UInt64) -> UInt64?

  /// Creates a timer.
  ///
  /// - Parameters:
  ///   - dueTime: the time from a start to the action.
  ///   - scheduler: measures the time and calls the action.
  ///   - action: receives the generation. Returns the generation with which the timer starts again, if it
  ///     does.
  @usableFromInline init(
    _ dueTime: RxTimeInterval, on scheduler: any SchedulerType, action: @escaping (UInt64) -> UInt64?
  ) {
    self.dueTime = dueTime
    self.scheduler = scheduler
    self.action = uncheckedSendable(action)
    movesDeadline = scheduler.isDispatching
  }

  @usableFromInline func start(_ generation: UInt64) {
    execute(
      state.withLock { state in
        guard !state.isDisposed, generation >= state.latest else { return .stop }
        state.latest = generation
        if movesDeadline {
          state.deadline = .now() + dueTime
          if state.pending != nil { return .stop }
        }
        return wait(dueTime, &state)
      }, generation)
  }

  private func wait(_ span: RxTimeInterval, _ state: inout State) -> Step {
    let timer = SingleAssignmentDisposable()
    defer { state.pending = timer }
    return .wait(timer, span, outdated: state.pending)
  }

  private func fire(_ generation: UInt64) {
    guard movesDeadline else {
      // A scheduler may be unable to cancel a timer that has begun to fire.
      return execute(state.withLock { $0.isDisposed ? .stop : .run(generation) }, generation)
    }
    execute(
      state.withLock { state in
        if state.isDisposed { return .stop }
        let (now, deadline) = (DispatchTime.now().uptimeNanoseconds, state.deadline.uptimeNanoseconds)
        if now < deadline { return wait(.nanoseconds(Int(clamping: deadline - now)), &state) }
        state.pending = nil
        return .run(state.latest)
      }, generation)
  }

  private func execute(_ step: Step, _ generation: UInt64) {
    switch step {
    case .stop: break
    case .run(let generation): if let next = action(generation) { start(next) }
    case .wait(let timer, let span, let outdated):
      outdated?.dispose()
      guard !timer.isDisposed else { return }
      timer.setDisposable(
        scheduler.scheduleRelative(generation, dueTime: span) { generation in
          self.fire(generation)
          return Disposables.create()
        })
    }
  }

  @usableFromInline func dispose() {
    let pending = state.withLock { state in
      state.isDisposed = true
      return state.pending.take()
    }
    pending?.dispose()
  }
}
