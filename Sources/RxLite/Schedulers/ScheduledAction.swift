import Dispatch
import ReactiveNetworkLock

/// An action that is queued on a dispatch queue or waits in virtual time; it runs at most once.
///
/// The closure, which need not be `Sendable`, crosses from one thread to another through the `Lock`. This is
/// safe because the scheduling thread passes it on once and keeps no reference to it. Disposing releases the
/// closure at once, even if the queue has not reached it.
final class ScheduledAction: Cancelable {
  #if TRACE_RESOURCES
    private let trace = ResourceTrace()
  #endif

  private enum State {
    case waiting(action: () -> any Disposable, timer: (any DispatchSourceTimer)?)
    case running
    case finished(any Disposable)
    case disposed
  }

  private let state: Lock<State>

  init(_ action: @escaping () -> any Disposable) {
    state = Lock(.waiting(action: action, timer: nil))
  }

  var isDisposed: Bool {
    state.withLock { if case .disposed = $0 { true } else { false } }
  }

  func start(on queue: DispatchQueue, at deadline: DispatchTime, leeway: DispatchTimeInterval) {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: deadline, leeway: leeway.nonNegative)
    // The timer holds the action, and the action holds the timer, until the timer fires or the action is
    // disposed.
    timer.setEventHandler { self.run() }
    state.withLock { state in
      if case .waiting(let action, _) = state { state = .waiting(action: action, timer: timer) }
    }
    timer.activate()
  }

  func dispose() {
    let former = state.withLock { exchange(&$0, with: .disposed) }
    switch former {
    case .waiting(_, let timer): timer?.cancel()
    case .finished(let result): result.dispose()
    case .running, .disposed: break
    }
  }

  func run() {
    let former = state.withLock { state in
      defer { if case .waiting = state { state = .running } }
      return state
    }
    guard case .waiting(let action, let timer) = former else { return }
    timer?.cancel()
    let result = action()
    let isLate = state.withLock { state in
      guard case .running = state else { return true }
      state = .finished(result)
      return false
    }
    if isLate { result.dispose() }
  }
}
