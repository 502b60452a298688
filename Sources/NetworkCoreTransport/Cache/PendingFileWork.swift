internal import Dispatch
internal import Foundation
internal import Synchronization

/// The changes of a cache's files that are not done yet, for which an exiting process waits.
///
/// So no response waits for its file, and a program that exits after a response finds it at the next start.
enum PendingFileWork {
  private static let group = DispatchGroup()
  /// The process that has begun such work last; the threads that do it do not exist in a copy of the process.
  private static let process = Atomic<pid_t>(0)
  private static let isRegistered =
    atexit {
      // A disk that does not respond must not block the exit forever.
      if getpid() == process.load(ordering: .relaxed) { _ = group.wait(timeout: .now() + 1) }
    } == 0

  /// Notes a change that is to be made; `end()` must follow.
  static func begin() {
    _ = isRegistered
    process.store(getpid(), ordering: .relaxed)
    group.enter()
  }

  static func end() { group.leave() }
}
