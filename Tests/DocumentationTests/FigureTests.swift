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
    /// In microseconds.
    let processorTime: Double
    /// The median of the latencies in milliseconds.
    let median: Double

    /// The requests per second, to the nearest hundred.
    var rate: String { FigureTests.text((requestsPerSecond / 100).rounded() * 100) }
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
    "the costs of requests, 64 at a time, are those that were measured",
    arguments: [
      ("libcurl's multi interface in C, not decoded", "libcurl multi in C"),
      ("`CurlTransport`, not decoded", "CurlTransport"),
      ("`provider.rx.request(_:).map(_:)`", "rx.request.map"),
      ("the same with `CurlConfiguration.threads` of 2", "rx.request.map, 2 threads"),
      ("AsyncHTTPClient 1.37 and `JSONDecoder`", "AsyncHTTPClient + JSONDecoder"),
      ("URLSession and `JSONDecoder`", "URLSession + JSONDecoder"),
    ])
  func requests(name: String, client: String) throws {
    let cells = try ["HTTP/1.1", "HTTP/2"].flatMap { version in
      let load = try Self.load(client, version, concurrency: 64)
      return [load?.rate ?? "", load.map { Self.microseconds($0.processorTime) } ?? ""]
    }
    try Self.expectRow([name] + cells)
  }

  @Test(
    "the costs of one request at a time are those that were measured",
    arguments: [
      ("`CurlTransport`, not decoded", "CurlTransport"),
      ("`provider.rx.request(_:).map(_:)`", "rx.request.map"),
      ("AsyncHTTPClient 1.37 and `JSONDecoder`", "AsyncHTTPClient + JSONDecoder"),
      ("URLSession and `JSONDecoder`", "URLSession + JSONDecoder"),
    ])
  func oneRequestAtATime(name: String, client: String) throws {
    let rates = try ["HTTP/1.1", "HTTP/2"].map { try Self.load(client, $0, concurrency: 1)?.rate ?? "" }
    let awaited = try #require(try Self.load("\(client), awaited", "HTTP/1.1", concurrency: 1))
    let times = [awaited.median * 1_000, awaited.processorTime].map(Self.microseconds)
    try Self.expectRow([name] + rates + [awaited.rate] + times)
  }

  private static func load(_ client: String, _ version: String, concurrency: Int) throws -> Load? {
    try results([Load].self, "http")
      .first { $0.client == client && $0.version == version && $0.concurrency == concurrency }
  }

  private static func microseconds(_ number: Double) -> String { "\(text(number)) µs" }

  private static func expectRow(_ cells: [String]) throws {
    let row = "|" + cells.map { $0.isEmpty ? " |" : " \($0) |" }.joined()
    #expect(try Document(performance).text.contains("\n\(row)\n"), "no row \(row)")
  }
}
