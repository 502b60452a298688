import Dispatch
import ReactiveNetworkLock

/// An action that a dispatch queue runs periodically until it is disposed; its runs never overlap.
///
/// The deadlines follow the first one at multiples of the period, so delays do not accumulate.
final class PeriodicAction: Cancelable {
  #if TRACE_RESOURCES
    private let trace = ResourceTrace()
  #endif

  private struct Running {
    let action: () -> Void
    let timer: any DispatchSourceTimer
  }

  private let running = Lock<Running?>(nil)

  init(
    on queue: DispatchQueue, at deadline: DispatchTime, period: DispatchTimeInterval,
    leeway: DispatchTimeInterval, action: @escaping () -> Void
  ) {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: deadline, repeating: period.nonNegative, leeway: leeway.nonNegative)
    timer.setEventHandler { self.run() }
    running.withLock { $0 = Running(action: action, timer: timer) }
    timer.activate()
  }

  var isDisposed: Bool { running.withLock { $0 == nil } }

  func dispose() {
    running.withLock { $0.take() }?.timer.cancel()
  }

  private func run() {
    running.withLock { $0?.action }?()
  }
}
