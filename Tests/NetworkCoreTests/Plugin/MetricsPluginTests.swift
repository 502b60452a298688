import Foundation
import MoyaCompatibility
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("The metrics plugin", .timeLimit(.minutes(5)))
struct MetricsPluginTests {
  private final class RecordedEntries: Sendable {
    let all = Lock([MetricsPlugin.Entry]())
  }

  private let log = Log()
  private let entries = RecordedEntries()

  private var plugin: MetricsPlugin {
    MetricsPlugin { [log, entries] entry in
      log("\(entry)")
      entries.all.withLock { $0.append(entry) }
    }
  }

  @Test("reports times and bytes in one line, without user, query and fragment, which may be secret")
  func line() {
    var metrics = TransferMetrics()
    metrics.nameLookup = .microseconds(1290)
    metrics.connect = .milliseconds(2)
    metrics.secureConnect = .milliseconds(250)
    metrics.firstByte = .seconds(1)
    metrics.total = .milliseconds(2500)
    metrics.bodyBytesSent = 7
    metrics.bodyBytesReceived = 8
    let transport = ScriptedTransport { [metrics] transfer in
      transfer.send(
        .head(ResponseHead(statusCode: 201, url: "u", headers: [:])), .metrics(metrics), .finished(nil))
    }
    let provider = NetworkProvider<LoopbackTarget>(transport: transport, plugins: [plugin])
    let base = URL(staticString: "http://me:pw@h:8080/b?token=secret#id=secret")
    provider.request(LoopbackTarget(base, "/a").with { $0.method = .put }) { _ in }
    #expect(
      log.all == [
        "PUT http://h:8080/b/a: 201; DNS 1.2 ms, connect 2.0 ms, TLS 250.0 ms, first byte 1000.0 ms, "
          + "total 2500.0 ms, 7 B sent, 8 B received"
      ])
    #expect(entries.all.withLock { $0.map(\.metrics) } == [metrics])
  }

  @Test("times that no integer holds are reported too", arguments: [Int64.max, -Int64.max])
  func longTimes(seconds: Int64) {
    let transport = ScriptedTransport { transfer in
      var metrics = TransferMetrics()
      metrics.total = .seconds(seconds)
      transfer.send(
        .head(ResponseHead(statusCode: 200, url: "u", headers: [:])), .metrics(metrics), .finished(nil))
    }
    NetworkProvider<LoopbackTarget>(transport: transport, plugins: [plugin])
      .request(LoopbackTarget(URL(staticString: "http://h"), "/")) { _ in }
    #expect(log.all.count == 1)
    #expect(log.all.first?.contains("total \(Double(seconds) * 1000) ms") == true)
  }

  @Test("reports every attempt, failures, and stubs without numbers")
  func endings() {
    let answers = Lock([503, 404])
    let transport = ScriptedTransport { $0.respond(answers.withLock { $0.removeFirst() }) }
    let time = ManualDelayScheduler()
    let provider = NetworkProvider<LoopbackTarget>(
      transport: transport, plugins: [plugin], interceptors: [RetryPolicy(jitter: 0)], scheduler: time)
    let target = LoopbackTarget(URL(staticString: "http://h")).with { $0.validationType = .successCodes }
    provider.request(target) { _ in }
    time.advance(by: .seconds(1))
    let stubbed = NetworkProvider<LoopbackTarget>(
      stubClosure: MoyaProvider.immediatelyStub, plugins: [plugin])
    stubbed.request(target) { _ in }
    NetworkProvider<LoopbackTarget>(
      transport: ScriptedTransport { $0.send(.finished(.cannotFindHost("h"))) }, plugins: [plugin]
    ).request(target) { _ in }
    #expect(
      log.all == [
        "GET http://h/: 503", "GET http://h/: 404", "GET http://h/: 200",
        "GET http://h/: The host \"h\" was not found. Check its name, and whether there is a network.",
      ])
    #expect(entries.all.withLock { $0.map(\.metrics) } == [nil, nil, nil, nil])
  }

  @Test("reports a shared transfer for each caller")
  func sharedTransfer() {
    let (transport, time) = (ScriptedTransport(), ManualDelayScheduler())
    let provider = NetworkProvider<LoopbackTarget>(
      transport: transport, plugins: [plugin], trackInflights: true, scheduler: time)
    for _ in 0..<2 { provider.request(LoopbackTarget(URL(staticString: "http://h"))) { _ in } }
    #expect(transport.transfers.count == 1)
    transport.transfers.first?.respond()
    time.advance(by: .zero)
    #expect(log.all == ["GET http://h/: 200", "GET http://h/: 200"])
  }

  @Test("contains libcurl's measurements, also for a response that was not accepted")
  func wire() async throws {
    let server = try LoopbackServer { _ in .text("ok", status: 404) }
    let provider = NetworkProvider<LoopbackTarget>(transport: try CurlTransport(), plugins: [plugin])
    for validation in [ValidationType.none, .successCodes] {
      _ = await provider.result(LoopbackTarget(server).with { $0.validationType = validation })
    }
    let metrics = entries.all.withLock { $0.map(\.metrics) }
    #expect(metrics.count == 2)
    for metrics in metrics {
      #expect(try #require(metrics).total > .zero)
      #expect(metrics?.bodyBytesReceived == 2)
    }
  }
}
