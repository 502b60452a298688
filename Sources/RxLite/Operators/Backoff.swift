public import Dispatch
import Foundation

/// How long to wait before the next attempt, and how many attempts to make.
///
/// ```swift
/// let patient = Backoff.exponential(initial: .milliseconds(500), multiplier: 2, max: .seconds(30))
/// ```
///
/// `retry(_:scheduler:shouldRetry:)` follows it, and ReactiveNetwork's `retry(backoff:)`.
public struct Backoff: Sendable {
  private enum Waits: Sendable {
    case none
    case growing(initial: Double, multiplier: Double, max: Double, jitter: Double)
    case calculated(@Sendable (UInt) -> RxTimeInterval)
  }

  private let waits: Waits
  private var maxCount = UInt.max

  /// Waits that grow by a factor; the number of attempts has no limit.
  ///
  /// - Parameters:
  ///   - initial: the wait before the second attempt.
  ///   - multiplier: by how much a wait is longer than the one before; 1 for equal ones. Below 1, waits become shorter; below 0
  ///     counts as 0.
  ///   - max: the longest wait.
  ///   - jitter: how much of a wait is left to chance, from 0 to 1, so that many clients do not come back all at once.
  /// - Returns: the waits.
  public static func exponential(
    initial: RxTimeInterval = .milliseconds(500), multiplier: Double = 2, max: RxTimeInterval = .seconds(30),
    jitter: Double = 0.5
  ) -> Backoff {
    Backoff(
      waits: .growing(
        initial: initial.inSeconds, multiplier: multiplier, max: max.inSeconds,
        jitter: Swift.min(1, Swift.max(0, jitter))))
  }

  /// Waits of one length; the number of attempts has no limit.
  ///
  /// - Parameter interval: the length.
  /// - Returns: the waits.
  public static func constant(_ interval: RxTimeInterval) -> Backoff {
    exponential(initial: interval, multiplier: 1, max: interval, jitter: 0)
  }

  /// A limited number of attempts, one right after the other.
  ///
  /// - Parameter maxCount: how many attempts there are at most, the first time included; 0 counts as 1.
  /// - Returns: the policy.
  public static func immediate(maxCount: UInt) -> Backoff {
    Backoff(waits: .none, maxCount: maxCount)
  }

  /// A limited number of attempts with waits of one length.
  ///
  /// - Parameters:
  ///   - maxCount: how many attempts there are at most, the first time included; 0 counts as 1.
  ///   - time: the length, in seconds.
  /// - Returns: the policy.
  public static func delayed(maxCount: UInt, time: Double) -> Backoff {
    exponentialDelayed(maxCount: maxCount, initial: time, multiplier: 0)
  }

  /// A limited number of attempts with waits that grow, as RxSwiftExt counts them.
  ///
  /// - Parameters:
  ///   - maxCount: how many attempts there are at most, the first time included; 0 counts as 1.
  ///   - initial: the wait before the second attempt, in seconds.
  ///   - multiplier: by how much a wait is longer than the one before, as a share of that: 1 doubles it, 0 leaves it as it is.
  /// - Returns: the policy.
  public static func exponentialDelayed(maxCount: UInt, initial: Double, multiplier: Double) -> Backoff {
    Backoff(
      waits: .growing(initial: initial, multiplier: 1 + multiplier, max: .infinity, jitter: 0),
      maxCount: maxCount)
  }

  /// A limited number of attempts with waits of your own.
  ///
  /// - Parameters:
  ///   - maxCount: how many attempts there are at most, the first time included; 0 counts as 1.
  ///   - delayCalculator: makes the wait behind a failed attempt of its number, 1 for the first. `.never` makes the next attempt at
  ///     once. Called on the thread that reports the error.
  /// - Returns: the policy.
  @preconcurrency public static func customTimerDelayed(
    maxCount: UInt, delayCalculator: @escaping @Sendable (UInt) -> RxTimeInterval
  ) -> Backoff {
    Backoff(waits: .calculated(delayCalculator), maxCount: maxCount)
  }

  /// Returns whether there is another attempt behind so many failed ones.
  package func allowsAttempt(after failures: Int) -> Bool {
    failures < maxCount
  }

  /// Returns the wait behind the failed attempt of a number, 1 for the first; `nil` for none.
  package func wait(after attempt: Int) -> RxTimeInterval? {
    switch waits {
    case .none: return nil
    case .growing(let initial, let multiplier, let max, let jitter):
      let longest = Swift.min(Self.growth(of: initial, by: multiplier, times: attempt - 1), max)
      return .inSeconds(longest * (1 - jitter * .random(in: 0...1)))
    case .calculated(let calculate):
      let wait = calculate(UInt(attempt))
      return wait == .never ? nil : wait
    }
  }

  /// Seconds; never a NaN, though nothing times infinity is one.
  private static func growth(of initial: Double, by multiplier: Double, times: Int) -> Double {
    guard initial > 0 else { return 0 }
    return initial.isFinite ? initial * pow(Swift.max(0, multiplier), Double(times)) : initial
  }
}

/// RxSwiftExt's name for a policy of attempts and waits.
public typealias RepeatBehavior = Backoff
