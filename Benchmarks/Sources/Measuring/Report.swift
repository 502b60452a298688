import Foundation

/// The measurements of one run.
public struct Report: Codable, Sendable {
  /// The library that the workloads are compared with.
  public let peer: String
  /// The time that this machine takes for the peer, divided by the time on the machine of the quotations;
  /// converts quoted nanoseconds into estimates.
  public private(set) var machineFactor: Double?
  /// The measurements, in the order of the workloads and sizes.
  public private(set) var measurements: [Measurement]

  /// Runs the workloads and prints a row for each when it ends.
  public init(peer: String, _ workloads: [Workload]) {
    self.peer = peer
    measurements = []
    ReportTable.printHead(peer: peer)
    for workload in workloads {
      for size in workload.sizes {
        let measurement = workload.measure(size: size)
        ReportTable.printRow(measurement)
        measurements.append(measurement)
      }
    }
    estimateRxSwift(workloads)
  }

  /// The measurements at each workload's middle size.
  public var typical: [Measurement] {
    var all: [String: [Measurement]] = [:]
    for measurement in measurements { all[measurement.workload, default: []].append(measurement) }
    return measurements.filter { all[$0.workload].map { $0[$0.count / 2].size } == $0.size }
  }

  /// Estimates RxSwift's times.
  ///
  /// RxSwift cannot be resolved on every machine that runs the benchmark. Its times are therefore quoted, and
  /// scaled by the ratio of the peer's times on this machine to those on the machine of the quotations.
  private mutating func estimateRxSwift(_ workloads: [Workload]) {
    let quotations = Dictionary(uniqueKeysWithValues: workloads.map { ($0.name, $0.rxSwift) })
    let factors = typical.compactMap { measurement -> Double? in
      guard let quoted = quotations[measurement.workload]??.peer, let peer = measurement.peer else {
        return nil
      }
      return peer.nanoseconds / quoted
    }
    guard !factors.isEmpty else { return }
    let factor = exp(factors.map(log).reduce(0, +) / Double(factors.count))
    machineFactor = factor
    for index in measurements.indices {
      measurements[index].rxSwiftEstimate = quotations[measurements[index].workload]??.rxSwift * factor
    }
  }

  /// Writes the report as JSON, the source of the charts.
  public func write(to url: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: url, options: .atomic)
  }
}

private func * (quoted: Double?, factor: Double) -> Double? {
  quoted.map { $0 * factor }
}
