internal import Dispatch
internal import ReactiveNetworkLock

/// Runs work that may block, on up to 64 threads at a time; further work waits in the order of the calls.
///
/// Without a bound, calls that do not return would take all threads that a process can have.
package final class BlockingWorkPool: Sendable {
  package typealias Work = @Sendable () -> Void

  private struct State {
    var waiting: [UInt64: Work] = [:]
    /// The number of the first work item that may still wait, and that of the next new one.
    var (first, next): (UInt64, UInt64) = (0, 0)
    var threads = 0

    mutating func append(_ work: @escaping Work) -> UInt64 {
      defer { next += 1 }
      waiting[next] = work
      return next
    }

    /// Counts a new thread for the waiting work and returns the number of threads; `nil` if the limit is
    /// reached.
    mutating func addThread() -> Int? {
      guard threads < BlockingWorkPool.threadLimit else { return nil }
      threads += 1
      return threads
    }

    /// Returns the next work item for a thread; `nil` if the thread must end.
    mutating func dequeue() -> Work? {
      while first < next {
        defer { first += 1 }
        if let work = waiting.removeValue(forKey: first) { return work }
      }
      threads -= 1
      return nil
    }
  }

  package static let threadLimit = 64
  /// Operations on the files that requests send.
  package static let files = BlockingWorkPool()
  /// Reads of Foundation's streams, which may block for any time.
  static let streams = BlockingWorkPool()

  private let state = Lock(State())

  package init() {}

  /// Runs work on another thread.
  ///
  /// - Returns: a number for `remove(_:)`.
  @discardableResult package func enqueue(_ work: @escaping Work) -> UInt64 {
    let (number, threads) = state.withLock { ($0.append(work), $0.addThread()) }
    if let threads { start(threads) }
    return number
  }

  /// Removes work that has not begun, so that abandoned work does not accumulate.
  package func remove(_ number: UInt64) {
    let spent = state.withLock { $0.waiting.removeValue(forKey: number) }
    withExtendedLifetime(spent) {}
  }

  private func start(_ number: Int) {
    BlockingThread.run(number: number, on: DispatchQueue(label: "NetworkCore.blocking")) { [self] in
      while let work = state.withLock({ $0.dequeue() }) { work() }
    }
  }
}
