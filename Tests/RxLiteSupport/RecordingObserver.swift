import Dispatch
import ReactiveNetworkLock
import RxLite

#if canImport(Glibc)
  import Glibc
#endif

/// Records the events that an observer is called with and counts the calls that begin inside another call.
final class RecordingObserver<Element>: ObserverType, @unchecked Sendable {
  // Sendable: the state is behind a lock, elements are only copied, and the closure is constant.
  private struct State {
    var events: [Event<Element>] = []
    var calls = 0
    var overlaps = 0
  }

  private let state = Lock(State())
  private let whileInside: (_ index: Int) -> Void

  /// Creates a recorder.
  ///
  /// - Parameter whileInside: runs inside each call, so that a second thread has time to enter; `index`
  ///   counts the events.
  init(whileInside: @escaping (_ index: Int) -> Void = yieldOccasionally(index:)) {
    self.whileInside = whileInside
  }

  var events: [Event<Element>] { state.withLock { $0.events } }
  var elements: [Element] { events.compactMap(\.element) }
  var overlaps: Int { state.withLock { $0.overlaps } }

  func on(_ event: Event<Element>) {
    let index = state.withLock { state in
      if state.calls > 0 { state.overlaps += 1 }
      state.calls += 1
      state.events.append(event)
      return state.events.count - 1
    }
    whileInside(index)
    state.withLock { $0.calls -= 1 }
  }
}

/// Yields to other threads during the first events and then only occasionally: on a busy machine a yield can
/// take milliseconds.
func yieldOccasionally(index: Int) {
  if index < 64 || index.isMultiple(of: 256) { sched_yield() }
}
