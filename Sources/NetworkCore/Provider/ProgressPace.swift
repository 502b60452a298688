import Foundation

/// Lets the progress of a request through in one direction, and at most sixty times a second.
///
/// Used under the lock of its request.
final class ProgressPace {
  enum Step {
    case tell(ProgressResponse)
    /// There is something to tell, in so many seconds.
    case wait(TimeInterval)
    case nothing
  }

  static let interval: TimeInterval = 1.0 / 60

  private var last: (progress: ProgressResponse, time: Date)?
  /// The newest that came too early.
  private var held: ProgressResponse?
  private var isWaiting = false

  /// The request has come further.
  func report(_ progress: ProgressResponse, now: Date) -> Step {
    // An attempt after another begins at nothing.
    guard !progress.isBehind(held ?? last?.progress) else { return .nothing }
    held = progress
    return isWaiting && remaining(now) > 0 ? .nothing : release(now)
  }

  /// The time that was to be waited for has come.
  func resume(now: Date) -> Step {
    isWaiting = false
    return release(now)
  }

  private func release(_ now: Date) -> Step {
    guard let progress = held else { return .nothing }
    let remaining = remaining(now)
    // Times are sums of fractions.
    guard remaining < 0.000_1 else {
      isWaiting = true
      return .wait(remaining)
    }
    held = nil
    last = (progress, now)
    return .tell(progress)
  }

  /// The seconds until the next may be told.
  private func remaining(_ now: Date) -> TimeInterval {
    guard let last else { return 0 }
    let elapsed = now.timeIntervalSince(last.time)
    // A clock that was set back must not stop the progress.
    return elapsed < 0 ? 0 : Self.interval - elapsed
  }
}

extension ProgressResponse {
  /// Whether another one has come further, or just as far.
  fileprivate func isBehind(_ other: ProgressResponse?) -> Bool {
    guard let other else { return false }
    return progress == other.progress
      ? completedUnitCount <= other.completedUnitCount : progress < other.progress
  }
}
