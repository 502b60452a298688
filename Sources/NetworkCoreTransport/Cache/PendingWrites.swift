internal import Dispatch
internal import Foundation

/// The files of stored responses that are being written, for which an exiting process waits.
///
/// So no response waits for its file, and a program that exits after a response finds it at the next start.
enum PendingWrites {
  private static let group = DispatchGroup()
  /// The threads that write do not exist in a process that is forked later.
  private static let process = getpid()
  private static let isRegistered =
    atexit {
      // A disk that does not respond must not block the exit forever.
      if getpid() == process { _ = group.wait(timeout: .now() + 1) }
    } == 0

  /// Notes that a file is to be written; `end()` must follow.
  static func begin() {
    _ = (process, isRegistered)
    group.enter()
  }

  static func end() { group.leave() }
}
