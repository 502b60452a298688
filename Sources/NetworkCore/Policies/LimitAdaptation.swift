public import Foundation

/// How the number of calls of a `ConcurrencyLimit` follows what a server can do.
///
/// ```swift
/// let limit = ConcurrencyLimit(10, adapting: .aimd(slowest: 0.3, within: 2...100))
/// ```
///
/// The rule is *additive increase, multiplicative decrease*, as in TCP. While calls are answered in time and at
/// least half of the places are taken, a round of calls adds one place. A call that takes too long, or ends
/// with a sign of overload, removes a share of the places. Calls that began before that change nothing, because
/// they ran under the old number: one congestion counts once.
public struct LimitAdaptation: Sendable, Hashable {
  /// The seconds within which a call of a server that has enough to give ends.
  public let slowest: TimeInterval
  /// The fewest and the most calls at a time.
  public let range: ClosedRange<Int>
  /// What is left of the places after a congestion, above 0 and below 1.
  public let decrease: Double

  /// Makes an adaptation by additive increase and multiplicative decrease.
  ///
  /// - Parameters:
  ///   - slowest: the seconds within which a call should end, such as three times the usual latency. More are
  ///     a sign of overload, even if the call succeeds, or is cancelled after that time.
  ///   - range: the fewest and the most calls at a time; numbers below 1 count as 1.
  ///   - decrease: what is left of the places after a congestion: 0.7 unless given, from 0.1 to 0.99.
  /// - Returns: the adaptation.
  public static func aimd(
    slowest: TimeInterval, within range: ClosedRange<Int>, decrease: Double = 0.7
  ) -> LimitAdaptation {
    LimitAdaptation(slowest: slowest, range: range, decrease: decrease)
  }

  private init(slowest: TimeInterval, range: ClosedRange<Int>, decrease: Double) {
    self.slowest = slowest
    // A `Double` holds such numbers exactly.
    let bounds = [range.lowerBound, range.upperBound].map { min(max(1, $0), 1 << 50) }
    self.range = bounds[0]...bounds[1]
    // A number that is none counts as the least.
    self.decrease = decrease > 0.1 ? min(0.99, decrease) : 0.1
  }
}

/// The number of calls that may run at a time, which an adaptation may change.
struct AdaptiveBound {
  private let adaptation: LimitAdaptation?
  private let fixedLimit: Int
  /// Fractions of a place add up.
  private var places: Double
  private var lastDecrease = -TimeInterval.infinity

  init(_ limit: Int, _ adaptation: LimitAdaptation?) {
    self.adaptation = adaptation
    fixedLimit = max(1, limit)
    let range = adaptation?.range ?? 1...1
    places = Double(min(max(limit, range.lowerBound), range.upperBound))
  }

  var limit: Int { adaptation == nil ? fixedLimit : Int(places) }

  /// Takes a call into account that ends; `runningCount` still includes it.
  mutating func note(
    _ ending: ConcurrencyLimit.Turn.Ending, since begin: TimeInterval, at now: TimeInterval,
    runningCount: Int
  ) {
    guard let adaptation else { return }
    if ending == .overloaded || now - begin > adaptation.slowest + 1e-6 {
      guard begin >= lastDecrease else { return }
      lastDecrease = now
      places = max(Double(adaptation.range.lowerBound), places * adaptation.decrease)
    } else if ending == .answered, 2 * runningCount >= limit {
      places = min(Double(adaptation.range.upperBound), places + 1 / places)
    }
  }
}

extension ConcurrencyLimit.Turn.Ending {
  /// What a status says about the server's load.
  package init(status: Int) {
    self = RetryPolicy.defaultRetryableHTTPStatusCodes.contains(status) ? .overloaded : .answered
  }

  /// What an error says about the server's load.
  package init(error: any Error) {
    switch (error as? TransferError) ?? (error as? NetworkError)?.transferError {
    case .cancelled, .circuitOpen, .overloaded: self = .cancelled
    case .timedOut, .cannotConnect, .connectionLost: self = .overloaded
    default:
      self = (error as? NetworkError)?.response.map { Self(status: $0.statusCode) } ?? .answered
    }
  }
}
