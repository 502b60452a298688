import Foundation

/// The results as text; the last column compares each client with the library.
enum LoadResultTable {
  static func printHead() {
    Swift.print(
      row(
        "client", "at a time", "requests/s", "CPU us", "allocations", "p50 ms", "p99 ms", "failed",
        "library is"))
  }

  static func print(_ results: [LoadResult]) {
    let library = results.first { $0.client == "rx.request.map" }?.requestsPerSecond ?? 0
    for result in results {
      Swift.print(
        row(
          result.client, "\(result.concurrency) \(result.version)",
          String(format: "%.0f", result.requestsPerSecond),
          String(format: "%.1f", result.processorTime), String(format: "%.1f", result.allocations),
          String(format: "%.2f", result.median), String(format: "%.2f", result.percentile99),
          "\(result.failures)",
          String(format: "%.2fx", library / result.requestsPerSecond)))
    }
    Swift.print("")
    fflush(nil)
  }

  private static func row(_ client: String, _ others: String...) -> String {
    client.padding(toLength: 32, withPad: " ", startingAt: 0)
      + others.map { String(repeating: " ", count: max(1, 13 - $0.count)) + $0 }.joined()
  }
}
