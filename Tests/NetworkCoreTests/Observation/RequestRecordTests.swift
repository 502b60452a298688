import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

/// The events of a request at given milliseconds, for a record.
struct ScriptedRequest {
  private(set) var id = RequestID()
  static let origin = ContinuousClock.now

  func event(_ milliseconds: Int, _ kind: RequestEvent.Kind) -> RequestEvent {
    RequestEvent(id: id, time: Self.origin + .milliseconds(milliseconds), kind: kind)
  }

  func record(_ events: (Int, RequestEvent.Kind)...) -> RequestRecord {
    var record = RequestRecord(event(events[0].0, events[0].1))
    for item in events.dropFirst() { record.add(event(item.0, item.1)) }
    return record
  }
}

extension RequestRecord {
  /// The phases with their milliseconds.
  var phases: [String] {
    spans.map { span in
      "\(span.phase) \(Int((span.start - ScriptedRequest.origin) / .milliseconds(1)))-\(Int((span.end - ScriptedRequest.origin) / .milliseconds(1)))"
    }
  }
}

@Suite("The record of a request", .timeLimit(.minutes(5)))
struct RequestRecordTests {
  private let script = ScriptedRequest()
  private let fresh = RequestEvent.Connection(
    address: "192.0.2.1", port: 443, tlsVersion: "TLSv1.3", httpVersion: .http2,
    nameLookup: .milliseconds(10), connect: .milliseconds(20), secureConnect: .milliseconds(30))

  @Test("has the phases of a request over a new connection, with the times that libcurl measured")
  func new() {
    let record = script.record(
      (0, .queued(.init(method: .post, url: "https://h/"))),
      (5, .started(method: .post, url: "https://h/?a")),
      (30, .connecting), (80, .connected(fresh)), (90, .requestSent), (100, .firstByte),
      (110, .bodyReceived(7, of: nil)), (120, .ended(.response(statusCode: 200), nil)))
    #expect(
      record.phases == [
        "queue 0-20", "nameLookup 20-30", "connect 30-50", "secureConnect 50-80", "send 80-90",
        "wait 90-100", "receive 100-120",
      ])
    #expect(record.url == "https://h/?a")
    #expect(record.bodyBytesReceived == 7)
    #expect(record.duration == .milliseconds(120))
    #expect(record.hasEnded)
  }

  @Test("has no connection phases over a kept connection, and drops phases without a duration")
  func kept() {
    let record = script.record(
      (0, .queued(.init(url: "https://h/"))), (5, .started(method: .get, url: "https://h/")),
      (6, .connected(.init(isReused: true))), (6, .requestSent), (9, .firstByte),
      (9, .ended(.response(statusCode: 204), nil)))
    #expect(record.phases == ["queue 0-6", "wait 6-9"])
  }

  @Test("without events of a connection, the wait for the first byte begins with the attempt")
  func unknown() {
    let record = script.record(
      (0, .queued(.init(url: "http://h/"))), (5, .started(method: .get, url: "http://h/")), (9, .firstByte),
      (12, .ended(.response(statusCode: 200), nil)))
    #expect(record.phases == ["queue 0-5", "wait 5-9", "receive 9-12"])
  }

  @Test("a failed connection is a phase, and a retry adds a wait and the phases of another attempt")
  func retried() {
    let record = script.record(
      (0, .queued(.init(url: "http://h/"))), (1, .started(method: .get, url: "http://h/")), (2, .connecting),
      (10, .retried(dueTo: .cancelled, after: .milliseconds(50))),
      (60, .started(method: .get, url: "http://h/2")),
      (61, .connected(.init(isReused: true))), (61, .requestSent), (70, .firstByte),
      (71, .ended(.response(statusCode: 200), nil)))
    #expect(
      record.phases == [
        "queue 0-2", "connect 2-10", "backoff 10-60", "queue 60-61", "wait 61-70", "receive 70-71",
      ])
    #expect(record.attempts == 2)
    #expect(record.repetitions.map(\.redirectStatus) == [nil])
    #expect(record.url == "http://h/2")
  }

  @Test("a redirect begins the phases again with the next URL, and only the last connection is kept")
  func redirected() {
    let record = script.record(
      (0, .queued(.init(url: "https://h/"))), (0, .started(method: .get, url: "https://h/")),
      (1, .connected(.init(isReused: true))), (1, .requestSent), (5, .firstByte),
      (6, .redirected(to: "https://g/", statusCode: 302)), (66, .connected(fresh)), (66, .requestSent),
      (70, .firstByte), (75, .ended(.cancelled, nil)))
    #expect(
      record.phases == [
        "queue 0-1", "wait 1-5", "receive 5-6", "nameLookup 6-16", "connect 16-36", "secureConnect 36-66",
        "wait 66-70", "receive 70-75",
      ])
    #expect(record.url == "https://g/")
    #expect(record.connection?.address == "192.0.2.1")
    #expect(record.resendCount == 1)
  }

  @Test(
    "the connection and the bytes of the attempt before do not count for one that fails without its own",
    arguments: [
      .retried(dueTo: .cancelled, after: .zero), .redirected(to: "https://g/", statusCode: 302),
    ] as [RequestEvent.Kind])
  func repeated(repetition: RequestEvent.Kind) {
    let record = script.record(
      (0, .queued(.init(url: "https://h/"))), (0, .started(method: .get, url: "https://h/")),
      (1, .connected(fresh)), (1, .requestSent), (2, .firstByte), (3, .bodyReceived(7, of: nil)),
      (4, repetition), (5, .connecting), (6, .ended(.cancelled, nil)))
    #expect(record.connection == nil)
    #expect(record.bodyBytesReceived == 0)
  }

  @Test("a connection that is tried to a second address is one phase, after the wait before the first one")
  func secondAddress() {
    let record = script.record(
      (0, .queued(.init(url: "https://h/"))), (5, .started(method: .get, url: "https://h/")),
      (10, .connecting), (30, .connecting), (80, .connected(fresh)), (80, .requestSent), (90, .firstByte),
      (95, .ended(.response(statusCode: 200), nil)))
    #expect(
      record.phases == [
        "queue 0-20", "nameLookup 20-30", "connect 30-50", "secureConnect 50-80", "wait 80-90",
        "receive 90-95",
      ])
  }

  @Test("the measured times of a connection do not reach back before the attempt")
  func longMeasurements() {
    let record = script.record(
      (0, .queued(.init(url: "https://h/"))), (0, .started(method: .get, url: "https://h/")),
      (1, .connected(.init(isReused: true))), (1, .requestSent), (5, .firstByte),
      (6, .redirected(to: "https://g/", statusCode: 302)), (20, .connected(fresh)), (20, .requestSent),
      (25, .firstByte), (30, .ended(.response(statusCode: 200), nil)))
    #expect(
      record.phases == [
        "queue 0-1", "wait 1-5", "receive 5-6", "secureConnect 6-20", "wait 20-25", "receive 25-30",
      ])
  }

  @Test("the text has the method, the URL without secrets, the result and the duration")
  func text() {
    let url = "http://me:pw@h/?token=secret"
    let start = "\(script.id) PUT http://<redacted>@h/?token=<redacted>: "
    let waiting = script.record((0, .queued(.init(method: .put, url: url))))
    #expect("\(waiting)" == start + "in flight, \(Duration.zero)")
    let broken = NetworkError.underlying(
      TransferError.timedOut(after: .seconds(1)), Response(statusCode: 206, data: Data()))
    for (outcome, result) in [
      (.response(statusCode: 204), "204"), (.cancelled, "cancelled"), (.failure(broken), "206"),
      (.failure(.requestMapping("u")), "\(NetworkError.requestMapping("u"))"),
    ] as [(RequestEvent.Outcome, String)] {
      let record = script.record(
        (0, .queued(.init(method: .put, url: url))), (500, .ended(outcome, nil)))
      #expect("\(record)" == start + "\(result), \(Duration.milliseconds(500))")
    }
  }

  @Test("an unfinished request includes its current phase, and events after the end are ignored")
  func unfinished() {
    var record = script.record(
      (0, .queued(.init(url: "http://h/"))), (7, .started(method: .get, url: "http://h/")))
    #expect(record.phases == ["queue 0-7"])
    #expect(!record.hasEnded)
    record.add(script.event(8, .ended(.cancelled, nil)))
    record.add(script.event(9, .firstByte))
    #expect(record.phases == ["queue 0-8"])
  }

  @Test("has the method and the URL of the target while the request waits")
  func waiting() {
    let record = script.record((0, .queued(.init(method: .post, url: "https://h/a"))))
    #expect(record.method == .post)
    #expect(record.url == "https://h/a")
  }

  @Test("keeps a limited number of phases")
  func limited() {
    var record = script.record((0, .queued(.init(url: "http://h/"))))
    for index in 0..<1_000 {
      record.add(script.event(2 * index + 1, .retried(dueTo: .cancelled, after: .zero)))
      record.add(script.event(2 * index + 2, .started(method: .get, url: "http://h/")))
    }
    #expect(record.spans.count <= RequestRecord.spanLimit + 1)
    #expect(record.resendCount == RequestRecord.spanLimit)
  }

  @Test("a connection that opens after the limit leaves the kept phases unchanged")
  func limitedConnection() throws {
    var record = script.record(
      (0, .queued(.init(url: "https://h/"))), (1, .redirected(to: "https://h/a", statusCode: 302)))
    for index in 1..<RequestRecord.spanLimit / 2 {
      record.add(script.event(2 * index, .retried(dueTo: .cancelled, after: .zero)))
      record.add(script.event(2 * index + 1, .started(method: .get, url: "https://h/a")))
    }
    record.add(script.event(300, .connecting))
    record.add(script.event(400, .connected(fresh)))
    let kept = Array(record.spans.prefix(RequestRecord.spanLimit))
    // The wait is the last phase that is kept; the connection is dropped.
    try #require(kept.count == RequestRecord.spanLimit && kept.last?.phase == .queue)
    record.add(script.event(500, .retried(dueTo: .cancelled, after: .zero)))
    record.add(script.event(510, .started(method: .get, url: "https://h/a")))
    record.add(script.event(520, .connecting))
    record.add(script.event(700, .connected(fresh)))
    #expect(Array(record.spans.prefix(RequestRecord.spanLimit)) == kept)
  }

  @Test("a plugin lists the requests in flight oldest first")
  func order() {
    let (transport, plugin) = (ScriptedTransport(), RequestRecordPlugin { _ in })
    let provider = NetworkProvider<LoopbackTarget>(transport: transport, plugins: [plugin])
    for path in ["/a", "/b", "/c"] {
      provider.request(LoopbackTarget(URL(staticString: "http://h"), path)) { _ in }
    }
    #expect(plugin.inFlight.map(\.url) == ["http://h/a", "http://h/b", "http://h/c"])
    transport.finish()
  }

  @Test("a plugin reports each request once, when it ends, and keeps only requests in flight")
  func plugin() async throws {
    let server = try LoopbackServer { $0.path == "/404" ? .status(404) : .text("ok") }
    let (log, silent) = (Log(), ScriptedTransport())
    let plugin = RequestRecordPlugin {
      log("\($0.method.rawValue) \($0.outcome?.statusCode ?? 0) \($0.attempts)")
    }
    let provider = NetworkProvider<LoopbackTarget>(plugins: [plugin])
    _ = await provider.result(LoopbackTarget(server))
    _ = await provider.result(LoopbackTarget(server, "/404"))
    #expect(log.all == ["GET 200 1", "GET 404 1"])
    let held = NetworkProvider<LoopbackTarget>(transport: silent, plugins: [plugin])
    let token = held.request(LoopbackTarget(server)) { _ in }
    #expect(plugin.inFlight.map(\.url) == ["\(server.origin)/"])
    token.cancel()
    #expect(plugin.inFlight.isEmpty)
    #expect(log.all.last == "GET 0 1")
  }

  @Test("a plugin keeps the records of as many ended requests as it is told, the newest")
  func keptRecords() {
    let plugin = RequestRecordPlugin(keeping: 2)
    let scripts = (0..<4).map { _ in ScriptedRequest() }
    for script in scripts { plugin.didObserve(script.event(0, .queued(.init(url: "http://a/")))) }
    for script in scripts[1...].reversed() { plugin.didObserve(script.event(1, .ended(.cancelled, nil))) }
    #expect(plugin.records.map(\.id) == scripts[..<3].map(\.id))
    #expect(plugin.inFlight.map(\.id) == [scripts[0].id])
    #expect(plugin.omittedCount == 1)
  }

  @Test("a cleared plugin does not report the requests in flight")
  func cleared() {
    let (log, script) = (Log(), ScriptedRequest())
    let plugin = RequestRecordPlugin(keeping: 1) { _ in log("ended") }
    plugin.didObserve(script.event(0, .queued(.init(url: "http://a/"))))
    plugin.clear()
    plugin.didObserve(script.event(1, .ended(.cancelled, nil)))
    #expect(log.all.isEmpty)
    #expect(plugin.records.isEmpty)
  }
}
