import Foundation
import Testing

/// The figures of documents come from the files that the benchmarks write and that the charts draw.
@Suite("Figures in documents")
struct FigureTests {
  private struct Operators: Decodable {
    struct Measurement: Decodable {
      let workload: String
      let size: Int
      let cost: Cost
      let peer: Cost?
      let rxSwiftEstimate: Double?
    }

    struct Cost: Decodable {
      let nanoseconds: Double
    }

    let measurements: [Measurement]

    /// The measurement of the middle size, which the chart draws.
    func typical(_ workload: String) throws -> Measurement {
      let rows = measurements.filter { $0.workload == workload }.sorted { $0.size < $1.size }
      try #require(!rows.isEmpty, "no measurement of \(workload)")
      return rows[rows.count / 2]
    }
  }

  private struct Load: Decodable {
    let client: String
    let version: String
    let concurrency: Int
    let requestsPerSecond: Double
    let processorTime: Double
  }

  private static func results<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
    let text = try Document("Benchmarks/results/\(name).json").text
    return try JSONDecoder().decode(type, from: Data(text.utf8))
  }

  /// The number in the notation of the documents, such as `1,388`.
  private static func text(_ number: Double) -> String {
    var digits = String(Int(number.rounded()))
    if digits.count > 3 { digits.insert(",", at: digits.index(digits.endIndex, offsetBy: -3)) }
    return digits
  }

  private static let performance = "Sources/ReactiveNetwork/ReactiveNetwork.docc/Performance.md"

  @Test(
    "the costs of operators are those that were measured",
    arguments: [
      ("a subject with one observer", "push"), ("`map → filter → map`", "map.filter.map"),
      ("`map` eight times", "map x8"), ("`flatMapLatest { .just }`", "flatMapLatest(just)"),
      ("`zip` of two", "zip"),
      ("making, mapping and subscribing to a single", "Single create.map.subscribe"),
    ])
  func operators(name: String, workload: String) throws {
    let measured = try Self.results(Operators.self, "rx").typical(workload)
    let peer = try #require(measured.peer)
    let row = "| \(name) | \(Self.text(measured.cost.nanoseconds)) | \(Self.text(peer.nanoseconds)) |"
    #expect(try Document(Self.performance).text.contains(row), "no row \(row)")
  }

  @Test(
    "the comparison with other libraries has the same costs",
    arguments: [
      ("nanoseconds per event, `map → filter → map`", "map.filter.map"),
      ("nanoseconds to make, map and subscribe to a single", "Single create.map.subscribe"),
    ])
  func comparison(name: String, workload: String) throws {
    let measured = try Self.results(Operators.self, "rx").typical(workload)
    let (peer, estimate) = (try #require(measured.peer), try #require(measured.rxSwiftEstimate))
    let row =
      "| \(name) | \(Self.text(measured.cost.nanoseconds)) | \(Self.text(estimate)) (estimated) "
      + "| \(Self.text(peer.nanoseconds)) | run |"
    #expect(try Document("Documentation/Comparison.md").text.contains(row), "no row \(row)")
  }

  @Test(
    "the comparison with other libraries has the same rates of requests",
    arguments: [(64, "HTTP/1.1"), (64, "HTTP/2"), (1, "HTTP/1.1"), (1, "HTTP/2")])
  func comparisonOfRequests(concurrency: Int, version: String) throws {
    let loads = try Self.results([Load].self, "http")
    func rate(_ client: String) -> String? {
      loads.first { $0.client == client && $0.version == version && $0.concurrency == concurrency }
        .map { Self.text(($0.requestsPerSecond / 100).rounded() * 100) }
    }
    let ours = try #require(rate("rx.request.map"))
    let peer = try #require(rate("AsyncHTTPClient + JSONDecoder"))
    let threads =
      concurrency == 1 ? "" : try "; \(#require(rate("rx.request.map, 2 threads"))) with two threads"
    let row =
      "| \(concurrency == 1 ? "one" : "\(concurrency)") at a time, \(version) | \(ours)\(threads) | \(peer) "
      + "| \(rate("URLSession + JSONDecoder") ?? "not measured") | run |"
    #expect(try Document("Documentation/Comparison.md").text.contains(row), "no row \(row)")
  }

  @Test(
    "the costs of requests are those that were measured",
    arguments: [
      ("libcurl's multi interface in C, not decoded", "libcurl multi in C"),
      ("`provider.rx.request(_:).map(_:)`", "rx.request.map"),
      ("AsyncHTTPClient 1.37 and `JSONDecoder`", "AsyncHTTPClient + JSONDecoder"),
    ])
  func requests(name: String, client: String) throws {
    let loads = try Self.results([Load].self, "http")
    let cells = try ["HTTP/1.1", "HTTP/2"].map { version in
      let load = try #require(
        loads.first { $0.client == client && $0.version == version && $0.concurrency == 64 })
      let rate = Self.text((load.requestsPerSecond / 100).rounded() * 100)
      return "\(rate) | \(Self.text(load.processorTime)) µs"
    }
    let row = "| \(name) | \(cells.joined(separator: " | ")) |"
    #expect(try Document(Self.performance).text.contains(row), "no row \(row)")
  }
}
