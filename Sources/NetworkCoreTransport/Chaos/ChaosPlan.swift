/// The faults of the requests of a `ChaosTransport`, at given rates from a seed.
///
/// ```swift
/// var plan = ChaosPlan(seed: 7)
/// plan.delayRate = 0.2
/// plan.failureRate = 0.05
/// plan.statusRate = 0.05
/// ```
///
/// The faults of a request depend only on the plan and on the number of the request, so the same plan always
/// has the same faults. A request may be delayed and have one other fault. The rates of the other faults add
/// up; any excess over 1 has no effect. A change of another rate does not change which requests are delayed.
///
/// The random numbers come from SplitMix64 (Steele, Lea and Flood, 2014). For each request, its state begins
/// with `seed` + (number + 1) × 0xD1342543DE82EF95, modulo 2⁶⁴. The upper 53 bits of an output, divided by
/// 2⁵³, are a number below 1. The first number decides whether there is a delay, the second its length, the
/// third the other fault, and the fourth the error, the status or the number of bytes.
public struct ChaosPlan: Sendable, Hashable {
  /// The seed of the random numbers.
  public var seed: UInt64
  /// The share of requests that are delayed before they are sent, from 0 to 1, as are all rates.
  public var delayRate = 0.0
  /// The range of the delays; all lengths are equally likely.
  public var delays: ClosedRange<Duration> = .milliseconds(50) ... .milliseconds(500)
  /// The share of requests that fail without being sent.
  public var failureRate = 0.0
  /// The errors of these requests, all equally likely; if empty, no request fails.
  public var errors: [TransferError] = [.connectionLost(reason: "ChaosTransport")]
  /// The share of requests that are not sent, and receive a response with a status and no body.
  public var statusRate = 0.0
  /// The statuses of these responses, all equally likely; if empty, there are no such responses.
  public var statuses = [500, 502, 503]
  /// The share of requests whose response ends early with `TransferError.truncatedBody`.
  public var cutOffRate = 0.0
  /// The number of bytes of the body that are delivered before the error; a shorter body is delivered whole, and a
  /// negative bound counts as 0.
  public var cutOffBytes = 0...1_023
  /// The share of requests whose response body has its bytes replaced, at the same length.
  public var garbledRate = 0.0

  /// Creates a plan without faults.
  ///
  /// - Parameter seed: the seed of the random numbers.
  public init(seed: UInt64) {
    self.seed = seed
  }

  /// Returns the faults of a request: at most a delay and one other fault.
  ///
  /// - Parameter number: the number of the request, which is 0 for the first one that the transport starts.
  /// - Returns: the faults.
  public func faults(ofRequest number: Int) -> [ChaosFault] {
    var numbers = SplitMix64(state: seed &+ (UInt64(bitPattern: Int64(number)) &+ 1) &* 0xD134_2543_DE82_EF95)
    let draws = (0..<4).map { _ in numbers.next() }
    var faults: [ChaosFault] = []
    if draws[0] < delayRate {
      faults.append(.delay(delays.lowerBound + (delays.upperBound - delays.lowerBound) * draws[1]))
    }
    let rates: [(Double, (Double) -> ChaosFault?)] = [
      (failureRate, { errors.pick($0).map { .failure($0) } }),
      (statusRate, { statuses.pick($0).map { .status($0) } }),
      (cutOffRate, { .cutOff(afterBytes: cutOffBytes.count(at: $0)) }),
      (garbledRate, { _ in .garbledBody }),
    ]
    var bound = 0.0
    for (rate, fault) in rates {
      bound += max(0, rate)
      guard draws[2] < bound else { continue }
      return faults + [fault(draws[3])].compactMap { $0 }
    }
    return faults
  }
}

/// A fault of a request of a `ChaosTransport`.
public enum ChaosFault: Sendable, Hashable {
  /// The request is sent after a delay.
  case delay(Duration)
  /// The request is not sent, and fails with this error.
  case failure(TransferError)
  /// The request is not sent, and receives a response with this status and no body.
  case status(Int)
  /// The response ends early, after this number of bytes of its body.
  case cutOff(afterBytes: Int)
  /// The bytes of the response body are replaced.
  case garbledBody
}

extension Array {
  fileprivate func pick(_ draw: Double) -> Element? {
    isEmpty ? nil : self[Swift.min(count - 1, Int(draw * Double(count)))]
  }
}

extension ClosedRange<Int> {
  /// The number at a share of the range, at least 0.
  fileprivate func count(at share: Double) -> Int {
    let (lower, upper) = (Swift.max(0, lowerBound), Swift.max(0, upperBound))
    let (count, isTooLarge) = lower.addingReportingOverflow(Int(share * (Double(upper - lower) + 1)))
    return isTooLarge ? upper : Swift.min(upper, count)
  }
}

private struct SplitMix64 {
  var state: UInt64

  /// Returns the next number, at least 0 and below 1.
  mutating func next() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    // The upper 53 bits, because a `Double` holds 53-bit integers exactly.
    return Double(mixed >> 11) / 9_007_199_254_740_992
  }
}
