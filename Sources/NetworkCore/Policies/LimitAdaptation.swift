public import Foundation

/// The rule by which the number of calls of a `ConcurrencyLimit` follows the latency of a server.
///
/// ```swift
/// let limit = ConcurrencyLimit(10, adapting: .aimd(slowest: 0.3, within: 2...100))
/// ```
///
/// The rule is *additive increase, multiplicative decrease*, as in TCP. While calls end in time and at least
/// half of the places are taken, a round of calls adds one place. A call that takes too long, or ends with a
/// sign of overload, removes a share of the places. Slow or overloaded calls that began before the last
/// removal remove nothing, because they ran under the old number: one congestion counts once.
public struct LimitAdaptation: Sendable, Hashable {
  /// The time within which calls end if the server is not overloaded, in seconds.
  public let slowest: TimeInterval
  /// The minimum and the maximum number of running calls.
  public let range: ClosedRange<Int>
  /// The share of the places that remains after a congestion, from 0.1 to 0.99.
  public let decrease: Double

  /// Returns an adaptation by additive increase and multiplicative decrease.
  ///
  /// - Parameters:
  ///   - slowest: the time within which a call should end, in seconds, such as three times the usual latency.
  ///     A longer call is a sign of overload, even if it succeeds, or is cancelled after that time.
  ///   - range: the minimum and the maximum number of running calls; numbers below 1 count as 1.
  ///   - decrease: the share of the places that remains after a congestion, from 0.1 to 0.99. A value outside
  ///     the range counts as its nearest end.
  /// - Returns: the adaptation.
  public static func aimd(
    slowest: TimeInterval, within range: ClosedRange<Int>, decrease: Double = 0.7
  ) -> LimitAdaptation {
    LimitAdaptation(slowest: slowest, range: range, decrease: decrease)
  }

  private init(slowest: TimeInterval, range: ClosedRange<Int>, decrease: Double) {
    self.slowest = slowest
    // A `Double` holds integers up to 2⁵⁰ exactly.
    let bounds = [range.lowerBound, range.upperBound].map { min(max(1, $0), 1 << 50) }
    self.range = bounds[0]...bounds[1]
    // NaN counts as 0.1.
    self.decrease = decrease > 0.1 ? min(0.99, decrease) : 0.1
  }
}

/// The maximum number of running calls, which an adaptation may change.
struct AdaptiveLimit {
  private let adaptation: LimitAdaptation?
  private let fixedLimit: Int
  /// The number of places; a fraction counts once it has grown to a whole place.
  private var places: Double
  private var lastDecrease = -TimeInterval.infinity

  init(_ limit: Int, _ adaptation: LimitAdaptation?) {
    self.adaptation = adaptation
    fixedLimit = max(1, limit)
    let range = adaptation?.range ?? 1...1
    places = Double(min(max(limit, range.lowerBound), range.upperBound))
  }

  var limit: Int { adaptation == nil ? fixedLimit : Int(places) }

  /// Adapts the limit to the end of a call, which `runningCount` still includes.
  mutating func note(
    _ ending: ConcurrencyLimit.Permit.Ending, since begin: TimeInterval, at now: TimeInterval,
    runningCount: Int
  ) {
    guard let adaptation else { return }
    if ending == .overloaded || now - begin > adaptation.slowest + 1e-6 {
      guard begin >= lastDecrease else { return }
      lastDecrease = now
      places = max(Double(adaptation.range.lowerBound), places * adaptation.decrease)
    } else if ending == .responded, 2 * runningCount >= limit {
      places = min(Double(adaptation.range.upperBound), places + 1 / places)
    }
  }
}

extension Error {
  /// Whether an operator or a cancelled task refused, so that nothing was sent.
  var isRefusalOrCancellation: Bool {
    self is CircuitOpenError || self is OverloadError || self is CancellationError
  }
}

extension ConcurrencyLimit.Permit.Ending {
  /// Classifies a status by what it indicates about the server's load.
  package init(status: Int) {
    self = RetryPolicy.defaultRetryableHTTPStatusCodes.contains(status) ? .overloaded : .responded
  }

  /// Classifies an error by what it indicates about the server's load.
  package init(error: any Error) {
    switch (error as? TransferError) ?? (error as? NetworkError)?.transferError {
    case nil where error.isRefusalOrCancellation: self = .cancelled
    case .cancelled, .circuitOpen, .overloaded: self = .cancelled
    case .timedOut, .cannotConnect, .connectionLost: self = .overloaded
    default:
      self = (error as? NetworkError)?.response.map { Self(status: $0.statusCode) } ?? .responded
    }
  }
}
