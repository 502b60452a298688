public import Dispatch
package import ReactiveNetworkLock

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
    case growing(GrowingDelay)
    case calculated(@Sendable (UInt) -> RxTimeInterval)
  }

  private let delays: Delays
  private var maxCount = UInt.max

  /// Returns a policy whose delays grow by a factor, without a limit on attempts.
  ///
  /// - Parameters:
  ///   - initial: the delay before the second attempt.
  ///   - multiplier: the factor from one delay to the next; 1 for equal delays. Below 1, delays become
  ///     shorter; a negative factor counts as 0, and NaN as 1.
  ///   - max: the longest delay.
  ///   - jitter: the random share of a delay, from 0 to 1, so that many clients do not retry at the same
  ///     time. A value outside the range counts as its nearest end, and NaN as 0.
  /// - Returns: the policy.
  public static func exponential(
    initial: RxTimeInterval = .milliseconds(500), multiplier: Double = 2, max: RxTimeInterval = .seconds(30),
    jitter: Double = 0.5
  ) -> Backoff {
    Backoff(
      delays: .growing(
        GrowingDelay(
          first: initial.inSeconds, factor: multiplier, longest: max.inSeconds, jitter: jitter)))
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
  ///   - time: the delay in seconds; a negative one and NaN count as 0.
  /// - Returns: the policy.
  public static func delayed(maxCount: UInt, time: Double) -> Backoff {
    exponentialDelayed(maxCount: maxCount, initial: time, multiplier: 0)
  }

  /// Returns a policy with a limited number of attempts and growing delays, with the parameters of
  /// RxSwiftExt.
  ///
  /// - Parameters:
  ///   - maxCount: the maximum number of attempts, including the first; 0 counts as 1.
  ///   - initial: the delay before the second attempt, in seconds; a negative one and NaN count as 0.
  ///   - multiplier: the growth from one delay to the next, as a share of it: 1 doubles the delay, 0 keeps
  ///     it.
  /// - Returns: the policy.
  public static func exponentialDelayed(maxCount: UInt, initial: Double, multiplier: Double) -> Backoff {
    Backoff(
      delays: .growing(GrowingDelay(first: initial, factor: 1 + multiplier)),
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

  /// The back-off that lengthens the times which servers ask for.
  package var growth: GrowingDelay {
    if case .growing(let growth) = delays { growth } else { GrowingDelay(first: 0, factor: 1) }
  }

  /// Returns the delay after the failed attempt with the given number, 1 for the first; `nil` for no delay.
  package func delay(after attempt: Int) -> RxTimeInterval? {
    switch delays {
    case .none: return nil
    case .growing(let growth): return .inSeconds(growth.delay(after: attempt - 1))
    case .calculated(let calculate):
      let delay = calculate(UInt(attempt))
      return delay == .never ? nil : delay
    }
  }
}

extension Backoff {
  /// Creates a policy with growing delays, without a limit on attempts.
  package init(_ growth: GrowingDelay) { self.init(delays: .growing(growth)) }
}

/// The name of a backoff policy in RxSwiftExt.
public typealias RepeatBehavior = Backoff
