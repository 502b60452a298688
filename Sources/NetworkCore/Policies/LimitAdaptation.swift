import Foundation
import ReactiveNetworkLock

/// The rule by which the number of calls of a `ConcurrencyLimit` follows the latency of a server.
///
/// ```swift
/// let limit = ConcurrencyLimit(10, adapting: .aimd(slowest: .milliseconds(300), within: 2...100))
/// ```
///
/// The rule is *additive increase, multiplicative decrease*, as in TCP. While calls end in time and at least
/// half of the places are taken, a round of calls adds one place. A call that takes too long, or ends with a
/// sign of overload, removes a share of the places. Slow or overloaded calls that began before the last
/// removal remove nothing, because they ran under the old number: one congestion counts once.
///
/// `gradient` needs no time: it compares each latency with the usual one of this server.
///
/// The latency of a call is the time until its response begins, as far as the caller of the limit knows it.
public struct LimitAdaptation: Sendable, Hashable {
  /// The time within which calls end if the server is not overloaded; `nil` if the gradient decides.
  public let slowest: Duration?
  /// The minimum and the maximum number of running calls.
  public let range: ClosedRange<Int>
  /// The share of the places that remains after a congestion, from 0.1 to 0.99.
  public let decrease: Double
  /// How many times the usual latency a call may take without effect; `nil` unless the gradient counts.
  ///
  /// Above it, the number grows more slowly, and then falls: with 100 places, at 1.1 times `tolerance`.
  public let tolerance: Double?

  /// Returns an adaptation by additive increase and multiplicative decrease.
  ///
  /// - Parameters:
  ///   - slowest: the time within which a call should end, such as three times the usual latency. A longer call
  ///     is a sign of overload, even if it succeeds, or is cancelled after that time. A negative one counts as 0.
  ///   - range: the minimum and the maximum number of running calls; numbers below 1 count as 1.
  ///   - decrease: the share of the places that remains after a congestion, from 0.1 to 0.99. A value outside
  ///     the range counts as its nearest end, and NaN as 0.1.
  /// - Returns: the adaptation.
  public static func aimd(
    slowest: Duration, within range: ClosedRange<Int>, decrease: Double = 0.7
  ) -> LimitAdaptation {
    LimitAdaptation(slowest: slowest, range: range, decrease: decrease, tolerance: nil)
  }

  /// Returns an adaptation by the gradient of latency, as Netflix's `Gradient2Limit` does.
  ///
  /// The limit is multiplied by the ratio of the usual latency, an average of the last 600 calls, to the latency of
  /// a call, from 0.5 to 1, and grows by that share of its square root, of which a fifth counts for each call. So it
  /// grows until the latency does. A latency of at least twice `tolerance` times the usual one brings any limit
  /// down to the minimum; Netflix's limit grows by the whole root, and so stays at four places or more. An overload
  /// that lasts longer than the average, such as 600 calls, becomes the usual latency, as with Netflix, and the
  /// limit grows again: use `aimd` if you know what latency is too long. A sign of overload, such as a 503, removes
  /// a share of the places, as with `aimd`. Envoy's adaptive concurrency filter measures the usual latency with few
  /// calls at a time instead.
  ///
  /// - Parameters:
  ///   - range: the minimum and the maximum number of running calls; numbers below 1 count as 1.
  ///   - tolerance: how many times the usual latency a call may take without effect, at least 1; NaN counts as 1.
  ///   - decrease: the share of the places that remains after a sign of overload, from 0.1 to 0.99. A value outside
  ///     the range counts as its nearest end, and NaN as 0.1.
  /// - Returns: the adaptation.
  public static func gradient(
    within range: ClosedRange<Int>, tolerance: Double = 1.5, decrease: Double = 0.7
  ) -> LimitAdaptation {
    LimitAdaptation(
      slowest: nil, range: range, decrease: decrease, tolerance: tolerance > 1 ? tolerance : 1)
  }

  private init(slowest: Duration?, range: ClosedRange<Int>, decrease: Double, tolerance: Double?) {
    self.slowest = slowest.map { max(.zero, $0) }
    self.tolerance = tolerance
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
  /// The usual latency for a gradient, and the number of calls in the average.
  private var usualLatency = 0.0
  private var latencyCount = 0.0

  init(_ limit: Int, _ adaptation: LimitAdaptation?) {
    self.adaptation = adaptation
    fixedLimit = max(1, limit)
    let range = adaptation?.range ?? 1...1
    places = Double(min(max(limit, range.lowerBound), range.upperBound))
  }

  var limit: Int { adaptation == nil ? fixedLimit : Int(places) }

  /// Returns the usual latency, which a latency then changes, as a share of that latency, from 0.5 to 1.
  private mutating func ratioOfUsualLatency(to latency: TimeInterval, _ tolerance: Double) -> Double {
    latencyCount = min(600, latencyCount + 1)
    usualLatency += (latency - usualLatency) / latencyCount
    // After an overload, the average of its latencies must not let the next one begin.
    if usualLatency > 2 * latency { usualLatency *= 0.95 }
    return max(0.5, min(1, tolerance * usualLatency / latency))
  }

  /// Adapts the limit to the end of a call, which `runningCount` still includes.
  mutating func note(
    _ ending: ConcurrencyLimit.Permit.Ending, since begin: TimeInterval, responded: TimeInterval,
    at now: TimeInterval, runningCount: Int
  ) {
    guard let adaptation, ending != .refused else { return }
    // The clock was set back. Threads that come here in another order than they read it differ by less (see
    // `MonotonicTime`).
    if lastDecrease - now > 1 { lastDecrease = -.infinity }
    let latency = max(1e-6, responded - begin)
    let isSlow = adaptation.slowest.map { latency > $0.inSeconds + 1e-6 } ?? false
    if ending == .overloaded || isSlow {
      guard begin >= lastDecrease else { return }
      lastDecrease = now
      places = max(Double(adaptation.range.lowerBound), places * adaptation.decrease)
    } else if ending == .responded, let tolerance = adaptation.tolerance {
      // A clock that was set back during the call has not measured it.
      guard responded >= begin else { return }
      let ratio = ratioOfUsualLatency(to: latency, tolerance)
      guard 2 * runningCount >= limit else { return }
      // Unless the root shrinks too, it outweighs what an overload removes from less than four places.
      let target = ratio * (places + places.squareRoot())
      let bounds = (Double(adaptation.range.lowerBound), Double(adaptation.range.upperBound))
      places = min(bounds.1, max(bounds.0, 0.8 * places + 0.2 * target))
    } else if ending == .responded, 2 * runningCount >= limit {
      places = min(Double(adaptation.range.upperBound), places + 1 / places)
    }
  }
}

extension ConcurrencyLimit.Permit.Ending {
  /// Classifies a status by what it indicates about the server's load.
  package init(status: Int) {
    self = RetryPolicy.defaultRetryableHTTPStatusCodes.contains(status) ? .overloaded : .responded
  }

  /// Classifies an error by what it indicates about the server's load.
  ///
  /// - Parameters:
  ///   - error: the error.
  ///   - response: what the response before the error has indicated; `nil` if there was none.
  package init(error: any Error, after response: Self? = nil) {
    switch error.ofTransfer {
    case _ where error.couldNotBeSent: self = .refused
    case _ where error.isCancellation: self = response ?? .cancelled
    case .timedOut, .cannotConnect, .connectionLost: self = .overloaded
    // A short time until such a failure says nothing about the server.
    case .cannotFindHost, .secureConnectionFailed, .certificate, .cannotReadBody, .cannotRepeatBody,
      .wrongBodyLength, .other:
      self = response ?? .cancelled
    // All others come after the server has answered.
    case .some:
      self = (error as? NetworkError)?.response.map { Self(status: $0.statusCode) } ?? response ?? .responded
    case nil: self = Self(ofOther: NetworkError(wrapping: error), after: response)
    }
  }

  /// Classifies an error other than those of transports, such as the `URLError` of a stub.
  private init(ofOther error: NetworkError, after response: Self?) {
    switch error.urlErrorCode {
    case .timedOut?, .cannotConnectToHost?, .networkConnectionLost?: self = .overloaded
    default: self = error.response.map { Self(status: $0.statusCode) } ?? response ?? .cancelled
    }
  }
}
