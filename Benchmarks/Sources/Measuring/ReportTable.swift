import Foundation

/// A report as text.
public enum ReportTable {
  static func printHead(peer: String) {
    print(
      row("workload", "size", "ns", "allocations", "\(peer) ns", "allocations", "ratio"),
      String(repeating: "-", count: 112), separator: "\n")
  }

  static func printRow(_ measurement: Measurement) {
    print(
      row(
        measurement.workload, "\(measurement.size) \(measurement.axis)",
        measurement.cost.nanoseconds.short, measurement.cost.allocations.short,
        measurement.peer?.nanoseconds.short, measurement.peer?.allocations.short, measurement.peerRatio?.times
      ))
    fflush(nil)
  }

  /// Prints the comparison at each workload's middle size.
  public static func printSummary(of report: Report) {
    guard let factor = report.machineFactor else { return }
    print(
      "\nRxSwift 6, estimated: quoted nanoseconds x \(factor.short),",
      "the ratio of \(report.peer)'s times on this machine to the quoted ones")
    for measurement in report.typical {
      guard let estimate = measurement.rxSwiftEstimate else { continue }
      print(
        pad(measurement.workload, 34), pad(estimate.short, -10), "ns",
        pad(measurement.rxSwiftRatio?.times, -8))
    }
  }

  private static func row(
    _ workload: String, _ size: String, _ cost: String, _ allocations: String,
    _ peer: String?, _ peerAllocations: String?, _ ratio: String?
  ) -> String {
    [
      pad(workload, 34), pad(size, -18), pad(cost, -10), pad(allocations, -12), pad(peer, -15),
      pad(peerAllocations, -12), pad(ratio, -7),
    ].joined()
  }

  /// Pads with spaces on the right, or on the left if the width is negative.
  private static func pad(_ text: String?, _ width: Int) -> String {
    let text = text ?? "-"
    let space = String(repeating: " ", count: max(0, abs(width) - text.count))
    return width < 0 ? space + text : text + space
  }
}

extension Double {
  /// The number with three significant digits, or more if its integer part has more.
  var short: String {
    self < 100 ? String(format: "%.3g", self) : String(format: "%.0f", self)
  }

  var times: String { String(format: "%.1fx", self) }
}
