import Foundation

/// The outcomes as text; the last column compares each client with the library.
enum Table {
  static func printHead() {
    Swift.print(
      row(
        "client", "at a time", "requests/s", "CPU us", "allocations", "p50 ms", "p99 ms", "failed",
        "library is"))
  }

  static func print(_ outcomes: [Outcome]) {
    let library = outcomes.first { $0.client == "rx.request.map" }?.requestsPerSecond ?? 0
    for outcome in outcomes {
      Swift.print(
        row(
          outcome.client, "\(outcome.concurrency) \(outcome.version)",
          String(format: "%.0f", outcome.requestsPerSecond),
          String(format: "%.1f", outcome.processorTime), String(format: "%.1f", outcome.allocations),
          String(format: "%.2f", outcome.median), String(format: "%.2f", outcome.percentile99),
          "\(outcome.failures)",
          String(format: "%.2fx", library / outcome.requestsPerSecond)))
    }
    Swift.print("")
    fflush(nil)
  }

  private static func row(_ client: String, _ others: String...) -> String {
    client.padding(toLength: 32, withPad: " ", startingAt: 0)
      + others.map { String(repeating: " ", count: max(1, 13 - $0.count)) + $0 }.joined()
  }
}
