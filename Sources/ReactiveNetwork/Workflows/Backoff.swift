public import Dispatch
public import RxLite

/// How long to wait before the next attempt.
///
/// ```swift
/// let patient = Backoff.exponential(initial: .milliseconds(500), multiplier: 2, max: .seconds(30))
/// ```
public struct Backoff: Sendable {
  private let initial: Double
  private let multiplier: Double
  private let max: Double
  private let jitter: Double

  /// Waits that grow by a factor.
  ///
  /// - Parameters:
  ///   - initial: the wait before the second attempt.
  ///   - multiplier: by how much a wait is longer than the one before; 1 for equal ones.
  ///   - max: the longest wait.
  ///   - jitter: how much of a wait is left to chance, from 0 to 1, so that many clients do not come back all at once.
  /// - Returns: the waits.
  public static func exponential(
    initial: RxTimeInterval = .milliseconds(500), multiplier: Double = 2, max: RxTimeInterval = .seconds(30),
    jitter: Double = 0.5
  ) -> Backoff {
    Backoff(
      initial: initial.inSeconds, multiplier: multiplier, max: max.inSeconds,
      jitter: Swift.min(1, Swift.max(0, jitter)))
  }

  /// Waits of one length.
  ///
  /// - Parameter interval: the length.
  /// - Returns: the waits.
  public static func constant(_ interval: RxTimeInterval) -> Backoff {
    exponential(initial: interval, multiplier: 1, max: interval, jitter: 0)
  }

  /// The wait after a failed attempt, in seconds; the first attempt is number 0.
  func delay(after attempt: Int) -> Double {
    var delay = initial
    // Not a power: it stops at the longest wait, however many attempts there are.
    for _ in 0..<attempt where delay < max && multiplier > 1 { delay *= multiplier }
    return Swift.max(0, Swift.min(delay, max)) * (1 - jitter * .random(in: 0...1))
  }
}
