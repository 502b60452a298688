import Foundation
import LoopbackServer
import NetworkCore
import Testing

@Suite(
  "HTTP/2", .enabled(if: InstalledProgram.canServeTLS, Comment(rawValue: InstalledProgram.skipReason)),
  .timeLimit(.minutes(5)))
struct HTTP2Tests {
  private let authority: CertificateAuthority
  private var configuration = CurlConfiguration()

  init() throws {
    authority = try CertificateAuthority()
    configuration.tls.authorities = .data(authority.root.pem)
  }

  /// Returns an nginx that speaks HTTP/2 and forwards requests to a test's server.
  private func reverseProxy(for server: LoopbackServer, _ more: String = "") throws -> Nginx {
    let directives = """
      http2_max_concurrent_streams 256;
      location / {
        proxy_pass \(server.origin); proxy_http_version 1.1; proxy_read_timeout 600s;
        add_header X-Connection $connection; add_header X-Protocol $server_protocol; \(more)
      }
      """
    return try Nginx(.init(identity: try authority.issue(), directives: directives))
  }

  @Test("HTTP/2 is used if the server supports it, unless HTTP/1.1 is requested; the response states it")
  func negotiation() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let nginx = try reverseProxy(for: server)
    let new = await (try CurlTransport(configuration: configuration)).exchange(.init(url: nginx.origin()))
    #expect(new.error == nil)
    #expect(new.head?.httpVersion == .http2)
    #expect(new.head?.headers["X-Protocol"] == "HTTP/2.0")
    #expect(new.head?.httpURLResponse != nil)
    var old = configuration
    old.httpVersion = .http1_1
    let first = await (try CurlTransport(configuration: old)).exchange(.init(url: nginx.origin()))
    #expect(first.head?.httpVersion == .http1_1)
    #expect(first.head?.headers["X-Protocol"] == "HTTP/1.1")
  }

  @Test("without TLS, HTTP/2 is used only with prior knowledge")
  func priorKnowledge() async throws {
    let site = Nginx.Site(directives: #"location / { return 200 "$server_protocol"; }"#, isHTTP2: true)
    let nginx = try Nginx(site)
    var configuration = CurlConfiguration()
    configuration.httpVersion = .http2PriorKnowledge
    let url = nginx.origin(scheme: "http")
    let transport = try CurlTransport(configuration: configuration)
    // First one after another, then several at a time.
    for _ in 0..<3 {
      let started = (0..<5).map { _ in transport.record(.init(url: url)) }
      for item in started {
        let known = await item.recorder.waitForEnd()
        #expect(known.error == nil)
        #expect(known.body == Data("HTTP/2.0".utf8))
      }
    }
    let cancelled = transport.record(.init(url: url))
    cancelled.transfer.cancel()
    await cancelled.recorder.waitForEnd()
    #expect(await transport.exchange(.init(method: .post, url: url)).body == Data("HTTP/2.0".utf8))
  }

  @Test("256 concurrent requests share one connection")
  func multiplexing() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { request in .text(request.path).held(until: gate) }
    let nginx = try reverseProxy(for: server)
    let transport = try CurlTransport(configuration: configuration)
    let started = (0..<256).map { transport.record(.init(url: nginx.origin() + "/\($0)")) }
    try await server.log(until: { $0.pending == 256 })
    gate.open()
    var connections: Set<String?> = []
    for (index, item) in started.enumerated() {
      let events = await item.recorder.waitForEnd()
      #expect(events.error == nil)
      #expect(events.body == Data("/\(index)".utf8))
      connections.insert(events.head?.headers["X-Connection"])
    }
    #expect(connections.count == 1)
  }

  @Test("a cancellation resets its stream, and the others on the connection continue")
  func cancel() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { request in .text(request.path).held(until: gate) }
    let nginx = try reverseProxy(for: server)
    let transport = try CurlTransport(configuration: configuration)
    let started = (0..<10).map { transport.record(.init(url: nginx.origin() + "/\($0)")) }
    try await server.log(until: { $0.pending == 10 })
    for index in 0..<5 { started[index].transfer.cancel() }
    for index in 0..<5 { #expect(await started[index].recorder.waitForEnd().error == .cancelled) }
    // nginx closes its own connection to the server when the client's stream is reset.
    try await server.log(until: { $0.abandoned.count == 5 && $0.pending == 5 })
    gate.open()
    var connections: Set<String?> = []
    for index in 5..<10 {
      let events = await started[index].recorder.waitForEnd()
      #expect(events.error == nil)
      connections.insert(events.head?.headers["X-Connection"])
    }
    let later = await transport.exchange(.init(url: nginx.origin()))
    connections.insert(later.head?.headers["X-Connection"])
    #expect(connections.count == 1)
  }

  @Test("cancelling the only request on a connection also reaches the server")
  func cancelAlone() async throws {
    let server = try LoopbackServer { _ in .never }
    let nginx = try reverseProxy(for: server)
    let (transfer, recorder) = try CurlTransport(configuration: configuration).record(
      .init(url: nginx.origin()))
    try await server.log(until: { $0.pending == 1 })
    transfer.cancel()
    #expect(await recorder.waitForEnd().error == .cancelled)
    try await server.log(until: { $0.abandoned.count == 1 && $0.openConnections == 0 })
    // Kept alive up to here, because releasing the transport closes its connections anyway.
    withExtendedLifetime(recorder) {}
  }

  @Test("a paused stream does not block others on its connection, and can resume")
  func pause() async throws {
    let server = try LoopbackServer { $0.path == "/large" ? .repeating(7, count: 96 << 20) : .text("ok") }
    let nginx = try reverseProxy(for: server, "proxy_buffering off;")
    let transport = try CurlTransport(configuration: configuration)
    let provider = NetworkProvider<LoopbackTarget>(transport: transport)
    let origin = try #require(URL(string: nginx.origin()))
    let stream = provider.stream(LoopbackTarget(origin, "/large"))
    var connections = [try await stream.response.headers["X-Connection"]]
    // Enough time for a sender without flow control to finish.
    for _ in 0..<300 {
      let events = await transport.exchange(.init(url: nginx.origin() + "/small"))
      #expect(events.error == nil)
      connections.append(events.head?.headers["X-Connection"])
    }
    #expect(Set(connections).count == 1)
    // libcurl 7.88 gives each stream an initial window of 32 MiB.
    #expect(server.log.bytesSent < 64 << 20)
    var count = 0
    for try await chunk in stream { count += chunk.count }
    #expect(count == 96 << 20)
  }

  @Test("a body of 1 MiB arrives complete in both directions")
  func bodies() async throws {
    let server = try LoopbackServer { request in .bytes(request.body) }
    let nginx = try Nginx(
      .init(
        identity: try authority.issue(),
        directives: "client_max_body_size 4m; location / { proxy_pass \(server.origin); }"))
    let transport = try CurlTransport(configuration: configuration)
    let events = await transport.exchange(
      .init(method: .post, url: nginx.origin(), body: .data(ExchangeTests.megabyte)))
    #expect(events.error == nil)
    // Compared outside #expect, because a mismatch would print a megabyte.
    let isWhole = events.body == ExchangeTests.megabyte
    #expect(isWhole)
    #expect(events.head?.httpVersion == .http2)
  }
}
