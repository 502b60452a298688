internal import Dispatch
internal import Foundation
internal import ReactiveNetworkLock

/// Runs work that may block, on up to 64 threads at a time; further work waits in the order of the calls.
///
/// Work with a key runs after all earlier work with that key, and concurrently with all other work.
///
/// Without a bound, calls that do not return would take all threads that a process can have. All queues of a
/// process share 255 threads, which several pools would exhaust. So a pool uses queues only for its first 16
/// threads, which suffice while nothing blocks.
package final class BlockingWorkPool: Sendable {
  package typealias Work = @Sendable () -> Void

  // Not private: the compiler (6.3) crashes on a private type behind a lock that a type of another file
  // embeds.
  struct State {
    var waiting = Queue<Work>()
    var threads = 0
    var keys = KeyedWork()

    /// Counts a new thread for the waiting work and returns the number of threads; `nil` if the limit is
    /// reached.
    mutating func addThread() -> Int? {
      guard threads < BlockingWorkPool.threadLimit else { return nil }
      threads += 1
      return threads
    }

    /// Returns the next work item for a thread; `nil` if the thread must end.
    mutating func dequeue() -> Work? {
      if let work = waiting.popFirst() { return work }
      threads -= 1
      return nil
    }
  }

  package static let threadLimit = 64
  private static let queueThreads = 16
  /// Operations on the files that requests send.
  package static let files = BlockingWorkPool()
  /// Reads of Foundation's streams, which may block for any time.
  static let streams = BlockingWorkPool()

  let state = Lock(State())

  package init() {}

  /// Runs work on another thread.
  ///
  /// - Returns: a number for `remove(_:)`.
  @discardableResult package func enqueue(_ work: @escaping Work) -> Int {
    let (number, threads) = state.withLock { ($0.waiting.append(work), $0.addThread()) }
    if let threads { start(threads) }
    return number
  }

  /// Removes work that has not begun, so that abandoned work does not accumulate.
  package func remove(_ number: Int) {
    let spent = state.withLock { $0.waiting.remove(number) }
    withExtendedLifetime(spent) {}
  }

  private func start(_ number: Int) {
    let run: @Sendable () -> Void = { [self] in
      while let work = state.withLock({ $0.dequeue() }) { work() }
    }
    // A serial queue provides a thread even if all processors are busy.
    if number <= Self.queueThreads {
      DispatchQueue(label: "NetworkCore.blocking").async(execute: run)
    } else {
      Thread.detachNewThread(run)
    }
  }
}
