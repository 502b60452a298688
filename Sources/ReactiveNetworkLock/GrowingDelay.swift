import Foundation

/// Delays that grow by a factor up to a limit, and a random share of them: the back-off of retries and reconnections.
package struct GrowingDelay: Sendable {
  private let first: Double
  private let factor: Double
  private let longest: Double
  private let jitter: Double

  /// Creates the delays, all in seconds.
  ///
  /// - Parameters:
  ///   - first: the first delay; negative numbers and NaN count as 0.
  ///   - factor: the factor from one delay to the next; negative numbers count as 0, and NaN as 1.
  ///   - longest: the longest delay; NaN counts as infinity, and negative numbers as 0.
  ///   - jitter: the random share of a delay, from 0 to 1; a value outside the range counts as its nearest end, and
  ///     NaN as 0.
  package init(first: Double, factor: Double, longest: Double = .infinity, jitter: Double = 0) {
    self.first = first > 0 ? first : 0
    self.factor = factor.isNaN ? 1 : max(0, factor)
    self.longest = longest.isNaN ? .infinity : max(0, longest)
    self.jitter = jitter > 0 ? min(1, jitter) : 0
  }

  /// Returns the delay after a number of earlier ones, shortened by a random share of up to the jitter.
  package func delay(after earlier: Int) -> Double {
    // 0 times infinity would not be a number.
    guard first > 0, factor > 0 || earlier == 0 else { return 0 }
    return min(longest, first * pow(factor, Double(earlier))) * (1 - jitter * .random(in: 0...1))
  }

  /// Returns a time that is longer than the given one by a random share of up to the jitter.
  package func lengthened(_ seconds: Double) -> Double { seconds * (1 + jitter * .random(in: 0...1)) }
}
