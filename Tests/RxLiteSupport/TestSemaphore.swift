import Dispatch

/// A semaphore whose waits fail after a minute, so that a test on real queues fails instead of hanging.
struct TestSemaphore: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func signal() {
    semaphore.signal()
  }

  /// Waits for `count` signals; returns `false` if one of them does not come in time.
  func wait(for count: Int = 1) -> Bool {
    (0..<count).allSatisfy { _ in semaphore.wait(timeout: .now() + 60) == .success }
  }
}
