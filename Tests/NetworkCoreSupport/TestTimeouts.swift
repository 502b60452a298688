import Foundation

/// The wall-clock times of tests.
///
/// A time that only bounds a hang is not written in a test: transfers use the default minute of
/// `TransportRequest`, waits for a server's log the default minute of `LoopbackServer`, and all other waits
/// `longestWait`. A test sets a shorter time only to test that it elapses.
enum TestTimeouts {
  /// How long a test waits for a condition before it fails, in seconds.
  static let longestWait: TimeInterval = 60
  /// An idle time-out that should elapse after a server has sent something.
  ///
  /// The server must also send it within this time.
  static let idle: Duration = .seconds(5)
}

/// Blocks the thread and polls a condition that no event announces.
///
/// - Returns: `false` if the condition does not hold within the longest wait.
@discardableResult
func waitUntil(_ condition: () throws -> Bool) rethrows -> Bool {
  let deadline = ContinuousClock.now + .seconds(TestTimeouts.longestWait)
  while try !condition() {
    guard ContinuousClock.now < deadline else { return false }
    usleep(5_000)
  }
  return true
}

/// Polls like `waitUntil(_:)`, but suspends the task.
@discardableResult
func suspendUntil(_ condition: () async throws -> Bool) async rethrows -> Bool {
  let deadline = ContinuousClock.now + .seconds(TestTimeouts.longestWait)
  while try await !condition() {
    guard ContinuousClock.now < deadline, !Task.isCancelled else { return false }
    try? await Task.sleep(for: .milliseconds(5))
  }
  return true
}
