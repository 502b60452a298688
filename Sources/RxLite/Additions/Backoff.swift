public import Dispatch
import Foundation

/// A policy for retries: the delays between attempts, and the number of attempts.
///
/// ```swift
/// let patient = Backoff.exponential(initial: .milliseconds(500), multiplier: 2, max: .seconds(30))
/// ```
///
/// Used by `retry(_:scheduler:shouldRetry:)`, and by `retry(backoff:)` of ReactiveNetwork.
public struct Backoff: Sendable {
  private enum Delays: Sendable {
    case none
    case growing(initial: Double, multiplier: Double, max: Double, jitter: Double)
    case calculated(@Sendable (UInt) -> RxTimeInterval)
  }

  private let delays: Delays
  private var maxCount = UInt.max

  /// Returns a policy whose delays grow by a factor, without a limit on attempts.
  ///
  /// - Parameters:
  ///   - initial: the delay before the second attempt.
  ///   - multiplier: the factor from one delay to the next; 1 for equal delays. Below 1, delays become
  ///     shorter; a negative factor counts as 0.
  ///   - max: the longest delay.
  ///   - jitter: the random share of a delay, from 0 to 1, so that many clients do not retry at the same
  ///     time.
  /// - Returns: the policy.
  public static func exponential(
    initial: RxTimeInterval = .milliseconds(500), multiplier: Double = 2, max: RxTimeInterval = .seconds(30),
    jitter: Double = 0.5
  ) -> Backoff {
    Backoff(
      delays: .growing(
        initial: initial.inSeconds, multiplier: multiplier, max: max.inSeconds,
        jitter: Swift.min(1, Swift.max(0, jitter))))
  }

  /// Returns a policy whose delays have a fixed length, without a limit on attempts.
  ///
  /// - Parameter interval: the length.
  /// - Returns: the policy.
  public static func constant(_ interval: RxTimeInterval) -> Backoff {
    exponential(initial: interval, multiplier: 1, max: interval, jitter: 0)
  }

  /// Returns a policy with a limited number of attempts and no delays.
  ///
  /// - Parameter maxCount: the maximum number of attempts, including the first; 0 counts as 1.
  /// - Returns: the policy.
  public static func immediate(maxCount: UInt) -> Backoff {
    Backoff(delays: .none, maxCount: maxCount)
  }

  /// Returns a policy with a limited number of attempts and a fixed delay.
  ///
  /// - Parameters:
  ///   - maxCount: the maximum number of attempts, including the first; 0 counts as 1.
  ///   - time: the delay in seconds.
  /// - Returns: the policy.
  public static func delayed(maxCount: UInt, time: Double) -> Backoff {
    exponentialDelayed(maxCount: maxCount, initial: time, multiplier: 0)
  }

  /// Returns a policy with a limited number of attempts and growing delays, with the parameters of
  /// RxSwiftExt.
  ///
  /// - Parameters:
  ///   - maxCount: the maximum number of attempts, including the first; 0 counts as 1.
  ///   - initial: the delay before the second attempt, in seconds.
  ///   - multiplier: the growth from one delay to the next, as a share of it: 1 doubles the delay, 0 keeps
  ///     it.
  /// - Returns: the policy.
  public static func exponentialDelayed(maxCount: UInt, initial: Double, multiplier: Double) -> Backoff {
    Backoff(
      delays: .growing(initial: initial, multiplier: 1 + multiplier, max: .infinity, jitter: 0),
      maxCount: maxCount)
  }

  /// Returns a policy with a limited number of attempts and custom delays.
  ///
  /// - Parameters:
  ///   - maxCount: the maximum number of attempts, including the first; 0 counts as 1.
  ///   - delayCalculator: returns the delay after the failed attempt with the given number, 1 for the first.
  ///     With `.never` the next attempt starts at once. Called on the thread that reports the error.
  /// - Returns: the policy.
  @preconcurrency public static func customTimerDelayed(
    maxCount: UInt, delayCalculator: @escaping @Sendable (UInt) -> RxTimeInterval
  ) -> Backoff {
    Backoff(delays: .calculated(delayCalculator), maxCount: maxCount)
  }

  /// Returns whether another attempt is allowed after a number of failed ones.
  package func allowsAttempt(after failures: Int) -> Bool {
    failures < maxCount
  }

  /// Returns a time that is longer than the given one by a random share of up to the jitter.
  package func lengthened(_ seconds: Double) -> Double {
    guard case .growing(_, _, _, let jitter) = delays else { return seconds }
    return seconds * (1 + jitter * .random(in: 0...1))
  }

  /// Returns the delay after the failed attempt with the given number, 1 for the first; `nil` for no delay.
  package func delay(after attempt: Int) -> RxTimeInterval? {
    switch delays {
    case .none: return nil
    case .growing(let initial, let multiplier, let max, let jitter):
      let longest = Swift.min(Self.growth(of: initial, by: multiplier, times: attempt - 1), max)
      return .inSeconds(longest * (1 - jitter * .random(in: 0...1)))
    case .calculated(let calculate):
      let delay = calculate(UInt(attempt))
      return delay == .never ? nil : delay
    }
  }

  /// Returns the delay in seconds; never NaN, which 0 times infinity would be.
  private static func growth(of initial: Double, by multiplier: Double, times: Int) -> Double {
    guard initial > 0 else { return 0 }
    return initial.isFinite ? initial * pow(Swift.max(0, multiplier), Double(times)) : initial
  }
}

/// The name of a backoff policy in RxSwiftExt.
public typealias RepeatBehavior = Backoff
