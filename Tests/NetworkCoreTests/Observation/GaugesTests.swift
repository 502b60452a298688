import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("The gauges of a transport", .timeLimit(.minutes(5)))
struct GaugesTests {
  @Test(
    "a request is in flight on an open connection, which is idle after it and gone when the server closes it")
  func connections() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer {
      $0.path == "/last" ? .text("x").closingConnection() : .text("0123456789").held(until: gate)
    }
    let transport = try CurlTransport()
    #expect(transport.gauges == TransportGauges())
    let first = transport.record(.init(url: "\(server.origin)/a"))
    let second = transport.record(.init(url: "\(server.origin)/b"))
    try await server.log(until: { $0.pending == 2 })
    #expect(await suspendUntil { transport.gauges.requestsInFlight == 2 })
    let busy = transport.gauges
    #expect(busy.connections == [server.origin: .init(open: 2, idle: 0)])
    #expect(busy.requestsWaiting == 0)
    #expect(busy.streams == 0)
    gate.open()
    _ = await (first.recorder.waitForEnd(), second.recorder.waitForEnd())
    let idle = transport.gauges
    #expect(idle.requestsInFlight == 0)
    #expect(idle.connections == [server.origin: .init(open: 2, idle: 2)])
    #expect(idle.openConnections == 2)
    #expect(idle.idleConnections == 2)
    _ = await transport.exchange(.init(url: "\(server.origin)/last"))
    #expect(transport.gauges.connections == [server.origin: .init(open: 1, idle: 1)])
  }

  @Test("a connection that is being opened is not idle")
  func opening() async throws {
    var tls = LoopbackServer.TLS.generated
    tls.stallsHandshake = true
    let server = try LoopbackServer(tls: tls)
    let transport = try CurlTransport()
    let held = transport.record(.init(url: server.origin))
    #expect(await suspendUntil { transport.gauges.openConnections == 1 })
    #expect(transport.gauges.connections == [server.origin: .init(open: 1, idle: 0)])
    held.transfer.cancel()
    #expect(await held.recorder.waitForEnd().error == .cancelled)
  }

  @Test("a request waits while its body is opened")
  func openingBody() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let gate = DispatchSemaphore(value: 0)
    // An empty stream is opened before its request is sent.
    let body = BodyStream(length: 0) { onBytesAvailable in
      gate.wait()
      return PiecewiseReader([], gaps: false, onBytesAvailable: onBytesAvailable)
    }
    let transport = try CurlTransport()
    let (_, recorder) = transport.record(.init(method: .post, url: server.origin, body: .stream(body)))
    #expect(await suspendUntil { transport.gauges.requestsWaiting == 1 })
    gate.signal()
    #expect(await recorder.waitForEnd().error == nil)
  }

  @Test("bytes are those of bodies, including those of redirected requests and of requests in flight")
  func bytes() async throws {
    let server = try LoopbackServer {
      $0.path == "/from" ? .redirect(to: "/to", status: 307) : .text("0123456789")
    }
    let transport = try CurlTransport()
    for path in ["/a", "/b", "/from"] {
      _ = await transport.exchange(
        .init(method: .post, url: server.origin + path, body: .data(Data(count: 1_000))))
    }
    let gauges = transport.gauges
    #expect(gauges.bodyBytesSent == 4_000)
    #expect(gauges.bodyBytesReceived == 30)

    let slow = try LoopbackServer { _ in
      .repeating(7, count: 1 << 20).bodyHeld(until: .init(), after: 1_000)
    }
    let held = transport.record(.init(url: slow.origin))
    await held.recorder.waitUntil { $0.body.count == 1_000 }
    #expect(transport.gauges.bodyBytesReceived == 1_030)
    held.transfer.cancel()
    _ = await held.recorder.waitForEnd()
    #expect(await suspendUntil { transport.gauges.connections[slow.origin] == nil })
    #expect(transport.gauges.bodyBytesReceived == 1_030)
  }

  @Test("the bytes of a request do not count again for the next one, with which libcurl has not begun")
  func bytesOfLastRequest() async throws {
    let server = try LoopbackServer { $0.path == "/first" ? .repeating(7, count: 1_000) : .never }
    let transport = try CurlTransport()
    let read = Lock<TransportGauges?>(nil)
    let recorder = TransferRecorder()
    let first = TransportRequest(
      method: .post, url: "\(server.origin)/first", body: .data(Data(count: 500))
    ).deliveredOnLoop
    let transfer = transport.start(first) { event in
      guard case .finished = event else { return }
      _ = transport.start(.init(url: server.origin)) { _ in }
      // Refused after the loop has taken the request before, in the same turn.
      _ = transport.start(TransportRequest(url: "invalid").deliveredOnLoop) { event in
        let gauges = transport.gauges
        read.withLock { $0 = gauges }
        recorder.record(event)
      }
    }
    #expect(await recorder.waitForEnd().error == .unsupportedURL("invalid"))
    let gauges = try #require(read.withLock { $0 })
    #expect(gauges.requestsInFlight == 1)
    #expect(gauges.bodyBytesSent == 500)
    #expect(gauges.bodyBytesReceived == 1_000)
    withExtendedLifetime(transfer) {}
  }

  @Test("several threads report together", arguments: [2, 4])
  func threads(count: Int) async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .text("ok").held(until: gate) }
    var configuration = CurlConfiguration()
    configuration.threads = count
    let transport = try CurlTransport(configuration: configuration)
    let started = (0..<8).map { _ in
      transport.record(.init(method: .post, url: server.origin, body: .data(Data(count: 1_000))))
    }
    try await server.log(until: { $0.pending == 8 })
    #expect(await suspendUntil { transport.gauges.connections == [server.origin: .init(open: 8, idle: 0)] })
    #expect(transport.gauges.requestsInFlight == 8)
    gate.open()
    for item in started { _ = await item.recorder.waitForEnd() }
    let ended = transport.gauges
    #expect(ended.idleConnections == 8)
    #expect(ended.bodyBytesSent == 8_000)
    #expect(ended.bodyBytesReceived == 16)
  }

  @Test("a handler may read the gauges, even on the thread that carries the transfers", arguments: [1, 2])
  func inHandler(threads: Int) async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    var configuration = CurlConfiguration()
    configuration.threads = threads
    let transport = try CurlTransport(configuration: configuration)
    for isOnLoop in [false, true] {
      var request = TransportRequest(url: server.origin)
      request.deliversOnLoop = isOnLoop
      let read = Lock([TransportGauges]())
      let recorder = TransferRecorder()
      let transfer = transport.start(request) { event in
        let gauges = transport.gauges
        read.withLock { $0.append(gauges) }
        recorder.record(event)
      }
      #expect(await recorder.waitForEnd().error == nil)
      // The second request may use another thread, and with it a second connection.
      let fewest = try #require(read.withLock { $0.map(\.openConnections).min() })
      #expect((1...threads).contains(fewest))
      withExtendedLifetime(transfer) {}
    }
  }

  @Test("requests on one HTTP/2 connection are streams, and those beyond the limit wait")
  func streams() async throws {
    let gate = LoopbackServer.Gate()
    var options = LoopbackServer.Options()
    options.http2 = .init()
    let server = try LoopbackServer(tls: .generated, options: options) {
      $0.path == "/held" ? .text("ok").held(until: gate) : .text("ok")
    }
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority)
    configuration.connections.limitPerHost = 1
    configuration.connections.streamLimit = 3
    let transport = try CurlTransport(configuration: configuration)
    _ = await transport.exchange(.init(url: server.origin))
    let started = (0..<5).map { _ in transport.record(.init(url: server.origin + "/held")) }
    #expect(await suspendUntil { transport.gauges.streams == 3 && transport.gauges.requestsWaiting > 0 })
    let gauges = transport.gauges
    #expect(gauges.requestsInFlight + gauges.requestsWaiting == 5)
    #expect(gauges.connections == [server.origin: .init(open: 1, idle: 0)])
    gate.open()
    for item in started { _ = await item.recorder.waitForEnd() }
    #expect(transport.gauges.streams == 0)
    #expect(transport.gauges.connections == [server.origin: .init(open: 1, idle: 1)])
  }
}
