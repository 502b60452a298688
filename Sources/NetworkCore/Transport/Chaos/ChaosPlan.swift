public import Foundation

/// Which requests of a `ChaosTransport` go wrong, and how, at given rates from a seed.
///
/// ```swift
/// var plan = ChaosPlan(seed: 7)
/// plan.delayRate = 0.2
/// plan.failureRate = 0.05
/// plan.statusRate = 0.05
/// ```
///
/// The faults of a request follow from the seed and from its number, and from nothing else: the same plan always
/// has the same faults. A request may be delayed and have one more fault; the rates of those other faults add
/// up, and what exceeds 1 has no effect. A change of one rate does not change which requests are delayed.
///
/// The numbers come from SplitMix64 (Steele, Lea and Flood, 2014), which begins for each request with
/// `seed` + (number + 1) × 0xD1342543DE82EF95, modulo 2⁶⁴. Of its outputs, divided by 2⁶⁴, the first decides
/// about the delay, the second about its length, the third about the other fault, and the fourth about the
/// error, the status or the number of bytes.
public struct ChaosPlan: Sendable, Hashable {
  /// What the faults follow from.
  public var seed: UInt64
  /// The share of requests that are delayed before they are sent, from 0 to 1, as are all rates.
  public var delayRate = 0.0
  /// The seconds of such a delay; each length is as likely as any other.
  public var delays: ClosedRange<TimeInterval> = 0.05...0.5
  /// The share of requests that fail without being sent.
  public var failureRate = 0.0
  /// The errors with which they fail, each as likely as any other; none if it is empty.
  public var errors: [TransferError] = [.connectionLost(reason: "ChaosTransport")]
  /// The share of requests that are not sent, and get a response with a status and no body.
  public var statusRate = 0.0
  /// The statuses of these responses, each as likely as any other; none if it is empty.
  public var statuses = [500, 502, 503]
  /// The share of requests whose response breaks off with `TransferError.truncatedBody`.
  public var cutOffRate = 0.0
  /// How many bytes of the body come before that; a shorter body breaks off at its end.
  public var cutOffBytes = 0...1_023
  /// The share of requests whose response has a body of the same length with other bytes.
  public var garbledRate = 0.0

  /// Makes a plan without faults.
  ///
  /// - Parameter seed: what the faults follow from.
  public init(seed: UInt64) {
    self.seed = seed
  }

  /// Returns the faults of a request: a delay and another one at most.
  ///
  /// - Parameter number: the number of the request, which is 0 for the first one that a transport starts.
  /// - Returns: the faults.
  public func faults(ofRequest number: Int) -> [ChaosFault] {
    var numbers = SplitMix64(state: seed &+ (UInt64(bitPattern: Int64(number)) &+ 1) &* 0xD134_2543_DE82_EF95)
    let draws = (0..<4).map { _ in numbers.next() }
    var faults: [ChaosFault] = []
    if draws[0] < delayRate {
      faults.append(.delay(delays.lowerBound + draws[1] * (delays.upperBound - delays.lowerBound)))
    }
    let rates: [(Double, (Double) -> ChaosFault?)] = [
      (failureRate, { errors.pick($0).map { .failure($0) } }),
      (statusRate, { statuses.pick($0).map { .status($0) } }),
      (cutOffRate, { .cutOff(afterBytes: cutOffBytes.lowerBound + Int($0 * Double(cutOffBytes.count))) }),
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

/// What goes wrong with a request of a `ChaosTransport`.
public enum ChaosFault: Sendable, Hashable {
  /// The request is sent so many seconds later.
  case delay(TimeInterval)
  /// The request is not sent, and fails.
  case failure(TransferError)
  /// The request is not sent, and gets a response with this status and no body.
  case status(Int)
  /// The response breaks off after so many bytes of its body.
  case cutOff(afterBytes: Int)
  /// The bytes of the response's body are changed.
  case garbledBody
}

extension Array {
  fileprivate func pick(_ draw: Double) -> Element? {
    isEmpty ? nil : self[Swift.min(count - 1, Int(draw * Double(count)))]
  }
}

private struct SplitMix64 {
  var state: UInt64

  /// The next number, from 0 to below 1.
  mutating func next() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    // The upper 53 bits, which is what a `Double` holds exactly.
    return Double(mixed >> 11) / 9_007_199_254_740_992
  }
}
