import Foundation

/// The wall-clock times of tests.
///
/// What only bounds a hang has no number in a test: transfers have the minute of `TransportRequest`, waits for a server's log
/// that of `LoopbackServer`, and all other waits `longestWait`. A shorter time stands only where its end is what is tested.
enum TestTime {
  /// How long a test waits for what comes unless something is broken, in seconds.
  static let longestWait: TimeInterval = 60
  /// An idle time that is to pass after a server has said something, in seconds: it also bounds the time until then.
  static let idle: TimeInterval = 5
}

/// Blocks until a condition holds that nothing tells of; `false` if it does not within the longest wait.
@discardableResult
func waitUntil(_ condition: () throws -> Bool) rethrows -> Bool {
  let deadline = ContinuousClock.now + .seconds(TestTime.longestWait)
  while try !condition() {
    guard ContinuousClock.now < deadline else { return false }
    usleep(5_000)
  }
  return true
}

/// Does what `waitUntil(_:)` does and suspends meanwhile.
@discardableResult
func suspendUntil(_ condition: () async throws -> Bool) async rethrows -> Bool {
  let deadline = ContinuousClock.now + .seconds(TestTime.longestWait)
  while try await !condition() {
    guard ContinuousClock.now < deadline, !Task.isCancelled else { return false }
    try? await Task.sleep(for: .milliseconds(5))
  }
  return true
}
