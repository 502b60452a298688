import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("HTTP/2", .timeLimit(.minutes(5)))
struct HTTP2Tests {
  private func server(
    isSecure: Bool = true, _ handler: @escaping LoopbackServer.Handler
  ) throws -> LoopbackServer {
    var options = LoopbackServer.Options()
    options.http2 = .init()
    options.http2?.streamLimit = 256
    return try LoopbackServer(tls: isSecure ? .generated : nil, options: options, handler: handler)
  }

  private func transport(
    _ server: LoopbackServer, _ version: CurlConfiguration.VersionPolicy = .automatic
  ) throws -> CurlTransport {
    var configuration = CurlConfiguration()
    if !server.authority.isEmpty { configuration.tls.authorities = .data(server.authority) }
    configuration.httpVersion = version
    return try CurlTransport(configuration: configuration)
  }

  /// Replies with the version by which the request has arrived.
  private static let version: LoopbackServer.Handler = { .text($0.stream == nil ? "HTTP/1.1" : "HTTP/2.0") }

  @Test("HTTP/2 is used if the server supports it, unless HTTP/1.1 is requested; the response states it")
  func negotiation() async throws {
    let server = try server(Self.version)
    let new = await (try transport(server)).exchange(.init(url: server.origin))
    #expect(new.error == nil)
    #expect(new.head?.httpVersion == .http2)
    #expect(new.body == Data("HTTP/2.0".utf8))
    #expect(new.head?.httpURLResponse != nil)
    let first = await (try transport(server, .http1_1)).exchange(.init(url: server.origin))
    #expect(first.head?.httpVersion == .http1_1)
    #expect(first.body == Data("HTTP/1.1".utf8))
    #expect(server.log.requests.map { $0.handshake?.applicationProtocol } == ["h2", "http/1.1"])
  }

  @Test("without TLS, HTTP/2 is used only with prior knowledge")
  func priorKnowledge() async throws {
    let server = try server(isSecure: false, Self.version)
    let unknown = await (try transport(server)).exchange(.init(url: server.origin))
    #expect(unknown.body == Data("HTTP/1.1".utf8))
    let transport = try transport(server, .http2PriorKnowledge)
    // First one after another, then several at a time.
    for _ in 0..<3 {
      let started = (0..<5).map { _ in transport.record(.init(url: server.origin)) }
      for item in started {
        let known = await item.recorder.waitForEnd()
        #expect(known.error == nil)
        #expect(known.body == Data("HTTP/2.0".utf8))
      }
    }
    let cancelled = transport.record(.init(url: server.origin))
    cancelled.transfer.cancel()
    await cancelled.recorder.waitForEnd()
    let later = await transport.exchange(.init(method: .post, url: server.origin))
    #expect(later.body == Data("HTTP/2.0".utf8))
  }

  @Test("256 concurrent requests share one connection")
  func multiplexing() async throws {
    let gate = LoopbackServer.Gate()
    let server = try server { request in .text(request.path).held(until: gate) }
    let transport = try transport(server)
    let started = (0..<256).map { transport.record(.init(url: server.origin + "/\($0)")) }
    try await server.log(until: { $0.pending == 256 })
    gate.open()
    for (index, item) in started.enumerated() {
      let events = await item.recorder.waitForEnd()
      #expect(events.error == nil)
      #expect(events.body == Data("/\(index)".utf8))
    }
    #expect(server.log.connectionsAccepted == 1)
  }

  @Test("a cancellation resets its stream, and the others on the connection continue")
  func cancel() async throws {
    let gate = LoopbackServer.Gate()
    let server = try server { request in .text(request.path).held(until: gate) }
    let transport = try transport(server)
    let started = (0..<10).map { transport.record(.init(url: server.origin + "/\($0)")) }
    try await server.log(until: { $0.pending == 10 })
    for index in 0..<5 { started[index].transfer.cancel() }
    for index in 0..<5 { #expect(await started[index].recorder.waitForEnd().error == .cancelled) }
    try await server.log(until: { $0.abandoned.count == 5 && $0.pending == 5 })
    gate.open()
    for index in 5..<10 { #expect(await started[index].recorder.waitForEnd().error == nil) }
    #expect(await transport.exchange(.init(url: server.origin)).error == nil)
    #expect(Set(server.log.abandoned.map(\.request.path)) == Set((0..<5).map { "/\($0)" }))
    #expect(server.log.connectionsAccepted == 1)
  }

  @Test("cancelling the only request on a connection also reaches the server")
  func cancelAlone() async throws {
    let server = try server { _ in .never }
    let (transfer, recorder) = try transport(server).record(.init(url: server.origin))
    try await server.log(until: { $0.pending == 1 })
    transfer.cancel()
    #expect(await recorder.waitForEnd().error == .cancelled)
    try await server.log(until: { $0.abandoned.count == 1 && $0.pending == 0 })
    // Kept alive up to here, because releasing the transport closes its connections anyway.
    withExtendedLifetime(recorder) {}
  }

  @Test("a paused stream does not block others on its connection, and can resume")
  func pause() async throws {
    let server = try server { $0.path == "/large" ? .repeating(7, count: 96 << 20) : .text("ok") }
    let transport = try transport(server)
    let provider = NetworkProvider<LoopbackTarget>(transport: transport)
    let stream = provider.stream(LoopbackTarget(server.baseURL, "/large"))
    #expect(try await stream.response.statusCode == 200)
    // Enough time for a sender without flow control to finish.
    for _ in 0..<300 {
      #expect(await transport.exchange(.init(url: server.origin + "/small")).error == nil)
    }
    #expect(server.log.connectionsAccepted == 1)
    // libcurl 7.88 gives each stream an initial window of 32 MiB.
    #expect(server.log.bytesSent < 64 << 20)
    var count = 0
    for try await chunk in stream { count += chunk.count }
    #expect(count == 96 << 20)
  }

  @Test("a body of 1 MiB arrives complete in both directions")
  func bodies() async throws {
    let server = try server { .bytes($0.body) }
    let events = await (try transport(server)).exchange(
      .init(method: .post, url: server.origin, body: .data(Data.megabyte)))
    #expect(events.error == nil)
    // Compared outside #expect, because a mismatch would print a megabyte.
    let isWhole = events.body == Data.megabyte
    #expect(isWhole)
    #expect(events.head?.httpVersion == .http2)
  }
}
