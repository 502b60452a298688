package import Foundation
package import ReactiveNetworkLock

/// The bounds of the retries of a request or a subscription: whether another attempt follows a failure, and when.
package struct RetryBounds: Sendable {
  private let backoff: GrowingDelay
  private let longestRetryAfter: TimeInterval
  private let deadline: TimeInterval
  package let budget: RetryBudget?

  /// Creates the bounds.
  ///
  /// - Parameters:
  ///   - backoff: lengthens `Retry-After` by its jitter.
  ///   - longestRetryAfter: the longest `Retry-After` that is waited for, in seconds; a negative one counts as 0.
  ///   - deadline: the time in seconds for all attempts and the waits between them; `nil` for no limit.
  ///   - budget: the common bound of many retries.
  package init(
    backoff: GrowingDelay, longestRetryAfter: TimeInterval, deadline: TimeInterval?, budget: RetryBudget?
  ) {
    self.backoff = backoff
    self.longestRetryAfter = max(0, longestRetryAfter)
    // 0.1 s and 0.2 s are more than 0.3 s.
    self.deadline = (deadline ?? .infinity) + 1e-6
    self.budget = budget
  }

  /// Returns the wait before the next attempt, which is withdrawn from the budget.
  ///
  /// The wait is never shorter than the server asks, and a small `Retry-After` does not undercut the back-off.
  ///
  /// - Parameters:
  ///   - delay: the delay of the back-off.
  ///   - response: the response, with its `Retry-After`.
  ///   - elapsed: the time in seconds since the first attempt began.
  ///   - now: the time of the scheduler.
  /// - Returns: the wait in seconds; `nil` if no attempt may follow.
  package func wait(
    _ delay: TimeInterval, after response: Response?, elapsed: TimeInterval, at now: Date
  ) -> TimeInterval? {
    let retryAfter = response?.headers.retryAfter(at: now)?.inSeconds ?? 0
    let wait = max(backoff.lengthened(retryAfter), delay)
    guard retryAfter <= longestRetryAfter, max(0, elapsed) + wait <= deadline, budget?.withdraw() ?? true
    else { return nil }
    return wait
  }
}
