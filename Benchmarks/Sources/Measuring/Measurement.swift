import AllocationCounter

/// What one operation costs.
public struct Cost: Codable, Sendable {
  /// Nanoseconds: the best of several samples, since other programs can only add to it.
  public let nanoseconds: Double
  /// Blocks of memory allocated.
  public let allocations: Double
}

/// What was measured of a workload at one size.
public struct Measurement: Codable, Sendable {
  /// The workload's name.
  public let workload: String
  /// What `size` counts.
  public let axis: String
  /// The size.
  public let size: Int
  /// The library's cost.
  public let cost: Cost
  /// The peer's cost in the same run.
  public let peer: Cost?
  /// What RxSwift 6 would need on this machine, in nanoseconds, estimated from a quotation.
  public var rxSwiftEstimate: Double?

  /// How many times the peer's time is the library's.
  public var peerRatio: Double? { peer.map { $0.nanoseconds / cost.nanoseconds } }
  /// How many times RxSwift's estimated time is the library's.
  public var rxSwiftRatio: Double? { rxSwiftEstimate.map { $0 / cost.nanoseconds } }
}

extension Workload {
  /// Measures the workload at one size, the library and the peer in turns, so that both meet the same disturbances.
  func measure(size: Int, samples: Int = 7) -> Measurement {
    let sampler = Sampler(ours, size)
    let peerSampler = peer.map { Sampler($0, size) }
    var best = Double.infinity
    var peerBest = Double.infinity
    for _ in 0..<samples {
      best = min(best, sampler.nanoseconds())
      peerBest = min(peerBest, peerSampler?.nanoseconds() ?? .infinity)
    }
    return Measurement(
      workload: name, axis: axis, size: size,
      cost: Cost(nanoseconds: best, allocations: sampler.allocations()),
      peer: peerSampler.map { Cost(nanoseconds: peerBest, allocations: $0.allocations()) })
  }
}

/// Repeats work often enough for a clock to measure it.
private struct Sampler {
  private static let duration = Duration.milliseconds(20)

  let work: Workload.Work
  let size: Int
  let repetitions: Int

  init(_ work: @escaping Workload.Work, _ size: Int) {
    self.work = work
    self.size = size
    _ = work(size)
    let once = ContinuousClock().measure { _ = work(size) }
    repetitions = max(1, min(10_000, Int(Self.duration / max(once, .nanoseconds(1)))))
  }

  func nanoseconds() -> Double {
    var operations = 0
    let duration = ContinuousClock().measure {
      for _ in 0..<repetitions { operations += work(size) }
    }
    return duration / .nanoseconds(1) / Double(operations)
  }

  func allocations() -> Double {
    allocation_counter_enable(true)
    let operations = work(size)
    allocation_counter_enable(false)
    return Double(allocation_counter_read()) / Double(operations)
  }
}
