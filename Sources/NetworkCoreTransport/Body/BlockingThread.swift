internal import Dispatch
internal import Foundation

/// Threads for pools of work that may block.
///
/// All queues of a process share 255 threads, which several pools of 64 would exhaust. So a pool uses queues
/// only for its first threads, which suffice while nothing blocks. Further threads are created for the pool,
/// and do not count towards the 255.
enum BlockingThread {
  private static let queueThreads = 16

  /// Runs work on a thread that the work may block.
  ///
  /// - Parameters:
  ///   - number: the number of threads that the pool has now, this one included.
  ///   - queue: a serial queue that provides a thread even if all processors are busy.
  ///   - work: the work.
  static func run(
    number: Int, on queue: @autoclosure () -> DispatchQueue, _ work: @escaping @Sendable () -> Void
  ) {
    if number <= queueThreads { queue().async(execute: work) } else { Thread.detachNewThread(work) }
  }
}
