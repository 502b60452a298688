import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Telemetry", .timeLimit(.minutes(5)))
struct TelemetryTests {
  private let script = ScriptedRequest()

  private func record(
    method: HTTPMethod = .get, _ outcome: RequestEvent.Outcome
  ) -> RequestRecord {
    let url = "https://me:pw@api.example.com:8443/a?token=secret&b=1"
    return script.record(
      (0, .queued(.init(url: url))), (0, .started(method: method, url: url)), (500, .ended(outcome, nil)))
  }

  private func texts(_ attributes: [TelemetryAttribute: TelemetryValue]) -> [String: String] {
    Dictionary(uniqueKeysWithValues: attributes.map { ($0.key.rawValue, "\($0.value)") })
  }

  @Test("attributes have OpenTelemetry's names, and contain no secrets")
  func attributes() {
    var metrics = TransferMetrics()
    metrics.httpVersion = .http1_1
    metrics.bodyBytesSent = 3
    metrics.bodyBytesReceived = 4
    let connection = RequestEvent.Connection(address: "192.0.2.1", port: 8443, tlsVersion: "TLSv1.3")
    let url = "https://me:pw@api.example.com:8443/a?token=secret&b=1"
    let record = script.record(
      (0, .queued(.init(url: url))), (0, .started(method: .get, url: url)),
      (1, .retried(dueTo: .cancelled, after: .zero)), (1, .started(method: .get, url: url)),
      (2, .connected(connection)), (500, .ended(.response(statusCode: 200), metrics)))
    #expect(
      texts(record.attributes) == [
        "http.request.method": "GET",
        "url.full": "https://<redacted>@api.example.com:8443/a?token=<redacted>&b=1",
        "url.scheme": "https", "server.address": "api.example.com", "server.port": "8443",
        "http.response.status_code": "200", "http.request.resend_count": "1", "network.protocol.name": "http",
        "network.protocol.version": "1.1", "network.peer.address": "192.0.2.1", "network.peer.port": "8443",
        "tls.protocol.version": "1.3", "http.request.body.size": "3", "http.response.body.size": "4",
      ])
    #expect(record.attributes[.statusCode] == .int(200))
    #expect(record.seconds == 0.5)
  }

  @Test("the attributes of a metric have few values")
  func metric() {
    #expect(
      texts(record(.cancelled).metricAttributes) == [
        "http.request.method": "GET", "url.scheme": "https", "server.address": "api.example.com",
        "server.port": "8443", "error.type": "cancelled",
      ])
  }

  @Test("the kind of error is a status or a name without values")
  func errors() {
    func type(_ outcome: RequestEvent.Outcome) -> String? {
      record(outcome).attributes[.errorType].map { "\($0)" }
    }
    let response = Response(statusCode: 503, data: Data())
    #expect(type(.response(statusCode: 399)) == nil)
    #expect(type(.response(statusCode: 400)) == "400")
    #expect(type(.failure(.statusCode(response))) == "503")
    #expect(type(.failure(.underlying(TransferError.timedOut(after: .seconds(1)), nil))) == "timedOut")
    #expect(type(.failure(.requestMapping("secret"))) == "requestMapping")
    #expect(type(.failure(.underlying(CancellationError(), nil))) == "Swift.CancellationError")
    #expect(record(.failure(.statusCode(response))).attributes[.statusCode] == .int(503))
  }

  @Test("an unknown method is _OTHER, and only the attributes of spans contain the original")
  func method() {
    let record = record(method: .init(rawValue: "BREW"), .response(statusCode: 200))
    #expect(record.attributes[.requestMethod] == .string("_OTHER"))
    #expect(record.attributes[.requestMethodOriginal] == .string("BREW"))
    #expect(record.metricAttributes[.requestMethodOriginal] == nil)
  }

  @Test(
    "the methods of RFC 9110 and PATCH are named",
    arguments: ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"])
  func knownMethods(name: String) {
    let record = record(method: .init(rawValue: name), .response(statusCode: 200))
    #expect(record.attributes[.requestMethod] == .string(name))
    #expect(record.attributes[.requestMethodOriginal] == nil)
  }

  @Test("without metrics, the version of the protocol is that of the connection")
  func protocolOfConnection() {
    let record = script.record(
      (0, .queued(.init(url: "https://h/"))), (0, .started(method: .get, url: "https://h/")),
      (1, .connected(.init(httpVersion: .http2))), (2, .ended(.cancelled, nil)))
    #expect(record.attributes[.protocolName] == .string("http"))
    #expect(record.attributes[.protocolVersion] == .string("2"))
  }

  @Test("the metric of connections has their state and host")
  func connections() {
    let gauges = TransportGauges(connections: [
      "http://a": .init(open: 3, idle: 1), "https://b:1": .init(open: 1),
    ])
    let lines = gauges.connectionMetrics.map { item in
      texts(item.attributes).sorted { $0.key < $1.key }.map(\.value).joined(separator: " ") + " \(item.count)"
    }
    #expect(lines == ["active a 80 2", "idle a 80 1", "active b 1 1", "idle b 1 0"])
  }
}
