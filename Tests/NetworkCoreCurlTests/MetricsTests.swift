import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Metrics", .timeLimit(.minutes(5)))
struct MetricsTests {
  private func request(_ url: String, _ body: Data? = nil) -> TransportRequest {
    var request = TransportRequest(
      method: body == nil ? .get : .post, url: url, body: body.map { .data($0) } ?? .none)
    request.reportsMetrics = true
    return request
  }

  @Test("metrics have times, bytes, address and version, and arrive right before the end, only on request")
  func plain() async throws {
    let server = try LoopbackServer { _ in .text("0123456789") }
    let transport = try CurlTransport()
    let start = ContinuousClock.now
    let events = await transport.exchange(request("\(server.origin)/a", Data(count: 1_000)))
    let duration = ContinuousClock.now - start
    let metrics = try #require(events.metrics)
    #expect(events.error == nil)
    #expect(metrics.httpVersion == .http1_1)
    #expect(metrics.remoteAddress == "127.0.0.1")
    #expect(metrics.remotePort == Int(server.port))
    #expect(!metrics.isConnectionReused)
    #expect(metrics.connect > .zero)
    #expect(metrics.nameLookup <= metrics.connect)
    #expect(metrics.secureConnect == .zero)
    #expect(metrics.firstByte >= metrics.connect)
    #expect(metrics.total >= metrics.firstByte)
    // Doubled, because libcurl uses a different clock.
    #expect(metrics.total <= duration * 2)
    #expect(metrics.bodyBytesSent == 1_000)
    #expect(metrics.bodyBytesReceived == 10)
    #expect((30..<1_000).contains(metrics.headBytesReceived))
    #expect(metrics.redirects == 0)
    let silent = await transport.exchange(.init(url: server.origin))
    #expect(silent.metrics == nil)
  }

  @Test("the time of the first byte is between those of the request and the end of the response")
  func firstByte() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in
      .text("0123456789").delayed(by: .seconds(1)).bodyHeld(until: gate, after: 4)
    }
    let transport = try CurlTransport()
    let (transfer, recorder) = transport.record(request(server.origin))
    await recorder.waitUntil { $0.body.count == 4 }
    gate.open()
    let metrics = try #require(await recorder.waitForEnd().metrics)
    #expect(metrics.firstByte - metrics.connect > .milliseconds(900))
    #expect(metrics.total > metrics.firstByte)
    withExtendedLifetime(transfer) {}
  }

  @Test("URLSession reports no metrics, even on request")
  func urlSession() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    for kind in TransportKind.allCases {
      let events = await (try kind.make()).exchange(request(server.origin))
      #expect(events.error == nil)
      #expect((events.metrics != nil) == (kind == .curl))
    }
  }

  @Test("metrics distinguish a reused connection, and count redirects")
  func reused() async throws {
    let server = try LoopbackServer { $0.path == "/from" ? .redirect(to: "/to") : .text("there") }
    let transport = try CurlTransport()
    let first = await transport.exchange(request("\(server.origin)/from"))
    #expect(first.metrics?.redirects == 1)
    let second = await transport.exchange(request(server.origin))
    #expect(second.metrics?.isConnectionReused == true)
    #expect(second.metrics?.nameLookup == .zero)
    #expect(second.metrics?.connect == .zero)
    #expect(second.metrics?.redirects == 0)
    #expect(server.log.connectionsAccepted == 1)
  }

  @Test("the metrics of a transfer over a Unix domain socket have neither address nor port")
  func unixSocket() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("socket").path
    let server = try LoopbackServer(on: .unix(path: path)) { _ in .text("ok") }
    let host = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let transport = try CurlTransport()
    let metrics = try #require(await transport.exchange(request("http+unix://\(host)/")).metrics)
    #expect(metrics.remoteAddress == nil)
    #expect(metrics.remotePort == nil)
    withExtendedLifetime((folder, server)) {}
  }

  @Test("a failed transfer has metrics: no data of a response, and no address without a connection")
  func failed() async throws {
    let server = try LoopbackServer { _ in .close }
    let transport = try CurlTransport()
    let closed = try #require(await transport.exchange(request(server.origin)).metrics)
    #expect(closed.httpVersion == nil)
    #expect(closed.firstByte == .zero)
    #expect(closed.remoteAddress == "127.0.0.1")
    let nowhere = try #require(await transport.exchange(request("http://no-such-host.invalid/")).metrics)
    #expect(nowhere.remoteAddress == nil)
    #expect(nowhere.remotePort == nil)
    #expect(nowhere.firstByte == .zero)
  }

  @Test("a transfer that exceeds a time limit has metrics")
  func timedOut() async throws {
    let server = try LoopbackServer { _ in .never }
    var configuration = CurlConfiguration()
    // Long enough for the connection, also on a busy machine.
    configuration.timeouts.firstByte = .seconds(3)
    let events = await (try CurlTransport(configuration: configuration)).exchange(request(server.origin))
    #expect(events.error == .timedOut(.firstByte, after: .seconds(3)))
    #expect(events.metrics?.remoteAddress == "127.0.0.1")
  }

  @Test("over libcurl, a provider's response has metrics")
  func provider() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let outcome = CompletionRecorder()
    let provider = NetworkProvider<LoopbackTarget>(transport: try CurlTransport())
    await withCheckedContinuation { continuation in
      provider.request(LoopbackTarget(server)) { result in
        outcome.completion(result)
        continuation.resume()
      }
    }
    #expect(outcome.response?.metrics?.remotePort == Int(server.port))
  }

  @Test("over TLS, the metrics include the time of the handshake")
  func secure() async throws {
    var options = LoopbackServer.Options()
    options.http2 = .init()
    let server = try LoopbackServer(tls: .generated, options: options) { _ in .text("ok") }
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority)
    let transport = try CurlTransport(configuration: configuration)
    let metrics = try #require(await transport.exchange(request(server.origin)).metrics)
    #expect(metrics.secureConnect > metrics.connect)
    #expect(metrics.firstByte >= metrics.secureConnect)
    #expect(metrics.total >= metrics.firstByte)
    #expect(metrics.httpVersion == .http2)
  }
}
