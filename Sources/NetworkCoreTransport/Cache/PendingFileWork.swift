internal import Dispatch
internal import Foundation
internal import Synchronization

/// The changes of caches' files that are not done yet, for which an exiting process and a cache that is being opened
/// wait.
///
/// So no response waits for its file, and a program finds it nevertheless at the next start, or in another cache with
/// the same folder.
enum PendingFileWork {
  private static let group = DispatchGroup()
  /// The process that has begun such work last; the threads that do it do not exist in a copy of the process.
  private static let process = Atomic<pid_t>(0)
  private static let isRegistered =
    atexit { wait() } == 0

  /// Notes a change that is to be made; `end()` must follow.
  static func begin() {
    _ = isRegistered
    process.store(getpid(), ordering: .relaxed)
    group.enter()
  }

  static func end() { group.leave() }

  /// Blocks until all changes are done, for at most a second: a disk that does not respond must not block the program
  /// forever.
  static func wait() {
    if getpid() == process.load(ordering: .relaxed) { _ = group.wait(timeout: .now() + 1) }
  }
}
