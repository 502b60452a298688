import AllocationCounter

/// The cost of one operation.
public struct OperationCost: Codable, Sendable {
  /// The time in nanoseconds: the best of several samples, because other programs can only add to it.
  public let nanoseconds: Double
  /// The number of blocks of memory that were allocated.
  public let allocations: Double
}

/// The measurement of a workload at one size.
public struct Measurement: Codable, Sendable {
  /// The workload's name.
  public let workload: String
  /// The unit that `size` counts.
  public let axis: String
  /// The size.
  public let size: Int
  /// The library's cost.
  public let cost: OperationCost
  /// The peer's cost in the same run.
  public let peer: OperationCost?
  /// The estimated time of RxSwift 6 on this machine in nanoseconds, scaled from a quoted measurement.
  public var rxSwiftEstimate: Double?

  /// The peer's time divided by the library's.
  public var peerRatio: Double? { peer.map { $0.nanoseconds / cost.nanoseconds } }
  /// RxSwift's estimated time divided by the library's.
  public var rxSwiftRatio: Double? { rxSwiftEstimate.map { $0 / cost.nanoseconds } }
}

extension Workload {
  /// Measures the workload at one size, with the library and the peer in turns, so that both meet the same
  /// disturbances.
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
      cost: OperationCost(nanoseconds: best, allocations: sampler.allocations()),
      peer: peerSampler.map { OperationCost(nanoseconds: peerBest, allocations: $0.allocations()) })
  }
}

/// Repeats the work until it takes long enough to be measured.
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
