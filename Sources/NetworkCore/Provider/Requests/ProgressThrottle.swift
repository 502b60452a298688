import Foundation

/// Limits the progress of a request to increasing values, at most sixty times a second.
///
/// The caller holds the lock of the request.
final class ProgressThrottle {
  enum Step {
    case deliver(ProgressResponse)
    /// Progress is pending; call `resume(now:)` after this time.
    case wait(TimeInterval)
    case nothing
  }

  static let interval: TimeInterval = 1.0 / 60

  private var last: (progress: ProgressResponse, time: Date)?
  /// The latest progress that came too early.
  private var pending: ProgressResponse?
  private var isWaiting = false

  /// The last progress, whether it has been delivered or not.
  private(set) var latest: ProgressResponse?

  /// Reports new progress.
  func report(_ progress: ProgressResponse, now: Date) -> Step {
    // A retry begins at zero again.
    guard !progress.isBehind(pending ?? last?.progress) else { return .nothing }
    (pending, latest) = (progress, progress)
    return isWaiting && remaining(now) > 0 ? .nothing : release(now)
  }

  /// Called when the delay of a `.wait` has passed.
  func resume(now: Date) -> Step {
    isWaiting = false
    return release(now)
  }

  /// Drops the pending progress, because its attempt has ended.
  func dropPending() { pending = nil }

  private func release(_ now: Date) -> Step {
    guard let progress = pending else { return .nothing }
    let remaining = remaining(now)
    // The tolerance covers rounding errors of times, which are sums of fractions.
    guard remaining < 0.000_1 else {
      isWaiting = true
      return .wait(remaining)
    }
    pending = nil
    last = (progress, now)
    return .deliver(progress)
  }

  /// The seconds until the next progress may be delivered.
  private func remaining(_ now: Date) -> TimeInterval {
    guard let last else { return 0 }
    let elapsed = now.timeIntervalSince(last.time)
    // A clock that was set back must not stop the progress.
    return elapsed < 0 ? 0 : Self.interval - elapsed
  }
}

extension ProgressResponse {
  /// Whether `other` shows the same progress, a greater share or more bytes.
  ///
  /// The total may become known in a later attempt.
  fileprivate func isBehind(_ other: ProgressResponse?) -> Bool {
    guard let other else { return false }
    return progress < other.progress || completedUnitCount < other.completedUnitCount
      || (progress, completedUnitCount) == (other.progress, other.completedUnitCount)
  }
}
