import Foundation
import InMemoryTracing
import Logging
import LoopbackServer
import Metrics
import MetricsTestKit
import NetworkCore
import Synchronization
import TelemetryExamples
import Testing
import Tracing

private struct Page: TargetType {
  let baseURL: URL
  var path = "/page"
  let method = HTTPMethod.get
}

/// Stores the logged lines.
private final class LogLines: Sendable {
  private let lines = Mutex([(level: Logger.Level, metadata: Logger.Metadata)]())

  var all: [(level: Logger.Level, metadata: Logger.Metadata)] { lines.withLock { $0 } }
  func add(_ level: Logger.Level, _ metadata: Logger.Metadata) {
    lines.withLock { $0.append((level, metadata)) }
  }
}

private struct RecordingLogHandler: LogHandler {
  let lines: LogLines
  var metadata = Logger.Metadata()
  var logLevel = Logger.Level.trace

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(
    level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String,
    function: String, line: UInt
  ) {
    lines.add(level, metadata ?? [:])
  }
}

@Suite("The examples of Observability", .serialized, .timeLimit(.minutes(5)))
struct TelemetryExamplesTests {
  private static let metrics: TestMetrics = {
    let metrics = TestMetrics()
    MetricsSystem.bootstrap(metrics)
    return metrics
  }()

  private static let tracer: InMemoryTracer = {
    let tracer = InMemoryTracer()
    InstrumentationSystem.bootstrap(tracer)
    return tracer
  }()

  @Test("swift-log receives the attributes of each request")
  func logs() async throws {
    let server = try LoopbackServer { $0.path == "/page" ? .text("ok") : .status(404) }
    let lines = LogLines()
    let logger = Logger(label: "requests") { _ in RecordingLogHandler(lines: lines) }
    let provider = NetworkProvider<Page>(plugins: [logging(to: logger)])
    _ = try await provider.response(for: Page(baseURL: server.baseURL))
    _ = try await provider.response(for: Page(baseURL: server.baseURL, path: "/none"))
    #expect(lines.all.map(\.level) == [.info, .warning])
    let metadata = lines.all[1].metadata
    #expect(metadata["http.response.status_code"] == "404")
    #expect(metadata["error.type"] == "404")
    #expect(metadata["url.full"] == "\(server.origin)/none")
    #expect(metadata["http.client.request.duration"] != nil)
  }

  @Test("swift-metrics receives the duration of each request, and the gauges")
  func measures() async throws {
    let metrics = Self.metrics
    let server = try LoopbackServer { _ in .text("ok") }
    let transport = try CurlTransport()
    let provider = NetworkProvider<Page>(transport: transport, plugins: [measuring()])
    _ = try await provider.response(for: Page(baseURL: server.baseURL))
    let timer = try #require(metrics.timers.first { $0.label == "http.client.request.duration" })
    #expect(timer.values.count == 1)
    #expect(timer.values[0] > 0)
    #expect(Dictionary(uniqueKeysWithValues: timer.dimensions)["server.port"] == "\(server.port)")
    record(transport.gauges)
    let gauges = metrics.recorders.filter { $0.label == "http.client.open_connections" }
    let states = gauges.compactMap {
      Dictionary(uniqueKeysWithValues: $0.dimensions)["http.connection.state"]
    }
    #expect(states.sorted() == ["active", "idle"])
    #expect(gauges.flatMap(\.values).sorted() == [0, 1])
  }

  @Test("swift-distributed-tracing receives a span for each request, and its context is sent")
  func traces() async throws {
    let tracer = Self.tracer
    let server = try LoopbackServer { _ in .status(503) }
    let provider = NetworkProvider<Page>(plugins: [TracingPlugin()])
    _ = try await provider.response(for: Page(baseURL: server.baseURL))
    let span = try #require(tracer.finishedSpans.first { $0.operationName == "GET" })
    #expect(span.kind == .client)
    #expect(span.attributes.get("http.response.status_code") == .int64(503))
    #expect(span.status?.code == .error)
    let sent = server.log.requests[0].headers
    #expect(sent.contains { $0.value == span.spanID })
  }
}
