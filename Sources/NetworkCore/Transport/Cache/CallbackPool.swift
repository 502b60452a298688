internal import Dispatch
internal import Locking

/// Calls handlers one after the other, but not behind one that does not return.
///
/// When a handler has taken a few milliseconds, another thread takes over those that wait; the first one ends with its handler.
/// So each handler that blocks has a thread, up to 64 of them: the queues of a process share 255, and others need theirs.
package final class CallbackPool: Sendable {
  private typealias Worker = (queue: DispatchQueue, number: UInt64)

  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var first = 0
    /// The number of the worker that takes what waits; `nil` for none.
    var worker: UInt64?
    var workers: UInt64 = 0
    /// The workers that have not gone.
    var threads = 0
    /// How many handlers have been called, and how many had at the last look.
    var called: UInt64 = 0
    var calledBefore: UInt64 = 0
    var isWatched = false
    /// A queue that no worker uses.
    var spare: DispatchQueue?

    var isEmpty: Bool { first == waiting.count }

    /// Begins with another worker; the one before takes nothing more.
    mutating func hire() -> Worker {
      workers += 1
      threads += 1
      worker = workers
      // Serial queues get threads of their own, even if all processors are busy.
      return (spare.take() ?? DispatchQueue(label: "NetworkCore.cache.callbacks"), workers)
    }

    /// The next handler for a worker; `nil` if it has to go.
    mutating func next(_ number: UInt64, _ queue: DispatchQueue) -> (@Sendable () -> Void)? {
      guard worker == number, !isEmpty else {
        if worker == number { worker = nil }
        threads -= 1
        spare = queue
        return nil
      }
      let job = waiting[first]
      first += 1
      called += 1
      if isEmpty {
        waiting.removeAll(keepingCapacity: first < 1_024)
        first = 0
      } else if first >= 1_024 {
        waiting.removeFirst(first)
        first = 0
      }
      return job
    }
  }

  private static let threadLimit = 64
  private static let patience = DispatchTimeInterval.milliseconds(5)
  private static let watch = DispatchQueue(label: "NetworkCore.cache.watch")

  private let state = Lock(State())

  package init() {}

  /// Has a handler called, soon and on another thread.
  func call(_ handler: @escaping @Sendable () -> Void) {
    let (hired, mustWatch): (Worker?, Bool) = state.withLock { state in
      state.waiting.append(handler)
      guard state.worker != nil else { return (state.hire(), false) }
      defer { state.isWatched = true }
      if !state.isWatched { state.calledBefore = state.called }
      return (nil, !state.isWatched)
    }
    if let hired { work(hired) }
    if mustWatch { look() }
  }

  private func work(_ worker: Worker) {
    let (queue, number) = worker
    queue.async { [self] in
      while let job = state.withLock({ $0.next(number, queue) }) { job() }
    }
  }

  private func look() {
    Self.watch.asyncAfter(deadline: .now() + Self.patience) { [self] in
      let (hired, goesOn): (Worker?, Bool) = state.withLock { state in
        guard !state.isEmpty else {
          state.isWatched = false
          return (nil, false)
        }
        defer { state.calledBefore = state.called }
        let isHeldUp = state.called == state.calledBefore && state.threads < Self.threadLimit
        return (isHeldUp ? state.hire() : nil, true)
      }
      if let hired { work(hired) }
      if goesOn { look() }
    }
  }
}
