import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite(
  "HTTP/3", .enabled(if: HTTP3Server.isAvailable, Comment(rawValue: HTTP3Server.skipReason)),
  .timeLimit(.minutes(5)))
struct HTTP3Tests {
  private let identity: LoopbackServer.Identity
  private var configuration = CurlConfiguration()

  init() throws {
    let authority = try LoopbackServer(tls: .generated)
    identity = try #require(authority.identity)
    configuration.tls.authorities = .data(authority.authority)
    configuration.httpVersion = .http3
  }

  private func server() throws -> HTTP3Server { try HTTP3Server(identity) }

  @Test("HTTP/3 is used if the server supports it; response and metrics state it, and connections are kept")
  func requests() async throws {
    let server = try server()
    let transport = try CurlTransport(configuration: configuration)
    for method in [HTTPMethod.get, .head, .post, .put, .delete] {
      var request = TransportRequest(method: method, url: server.origin + "/it")
      request.reportsMetrics = true
      let events = await transport.exchange(request)
      #expect(events.error == nil)
      #expect(events.head?.httpVersion == .http3)
      #expect(events.metrics?.httpVersion == .http3)
      #expect(events.metrics?.remotePort == Int(server.port))
      #expect(events.body == Data((method == .head ? "" : "\(method.rawValue) /it h3").utf8))
    }
    #expect(server.events.count { $0.hasPrefix("connection ") } == 1)
    var request = TransportRequest(url: server.origin)
    request.reportsMetrics = true
    #expect(await transport.exchange(request).metrics?.isConnectionReused == true)
  }

  @Test("many concurrent requests share few connections")
  func multiplexing() async throws {
    let server = try server()
    let transport = try CurlTransport(configuration: configuration)
    let started = (0..<200).map { transport.record(.init(url: server.origin + "/\($0)")) }
    for (index, item) in started.enumerated() {
      let events = await item.recorder.waitForEnd()
      #expect(events.error == nil)
      #expect(events.body == Data("GET /\(index) h3".utf8))
    }
    #expect((1...4).contains(server.events.count { $0.hasPrefix("connection ") }))
  }

  @Test("bodies arrive complete in both directions", arguments: [1, 100_000, 5_000_000])
  func bodies(size: Int) async throws {
    let server = try server()
    let transport = try CurlTransport(configuration: configuration)
    let download = await transport.exchange(.init(url: server.origin + "/bytes/\(size)"))
    #expect(download.error == nil)
    #expect(download.body == Data(repeating: UInt8(ascii: "7"), count: size))
    let sent = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("body")
    try sent.write(to: file)
    for body in [TransportRequest.Body.data(sent), .file(file)] {
      let upload = await transport.exchange(.init(method: .post, url: server.origin + "/echo", body: body))
      #expect(upload.error == nil)
      #expect(upload.body == sent)
    }
  }

  @Test("a cancellation resets its stream, and the others on the connection continue")
  func cancel() async throws {
    let server = try server()
    let transport = try CurlTransport(configuration: configuration)
    _ = await transport.exchange(.init(url: server.origin))
    let left = ["/hang", "/drip"].map { transport.record(.init(url: server.origin + $0)) }
    let kept = transport.record(.init(url: server.origin + "/hang?kept"))
    for path in ["/hang", "/drip", "/hang?kept"] { try server.waitForEvent("request GET \(path)") }
    await left[1].recorder.waitUntil { $0.head != nil }
    for item in left {
      item.transfer.cancel()
      #expect(await item.recorder.waitForEnd().error == .cancelled)
    }
    try server.waitForEvent("reset /hang")
    try server.waitForEvent("reset /drip")
    let later = await transport.exchange(.init(url: server.origin + "/later"))
    #expect(later.head?.headers["X-Connection"] == "1")
    #expect(server.count("reset /hang?kept") == 0)
    // This is the last request, so its connection may close.
    kept.transfer.cancel()
    try server.waitForEvent("reset /hang?kept")
  }

  @Test("a connection that closes before the response ends the request; a POST is not retried")
  func leaving() async throws {
    let server = try server()
    let transport = try CurlTransport(configuration: configuration)
    let events = await transport.exchange(.init(method: .post, url: server.origin + "/leave"))
    guard case .connectionLost? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
    #expect(server.count("request POST /leave") == 1)
    #expect(await transport.exchange(.init(url: server.origin + "/next")).error == nil)
  }

  @Test(
    "if a reused connection closes before the response, only idempotent requests are sent again",
    arguments: [HTTPMethod.get, .put, .post])
  func leavingKept(method: HTTPMethod) async throws {
    let server = try server()
    let transport = try CurlTransport(configuration: configuration)
    #expect(await transport.exchange(.init(url: server.origin)).error == nil)
    let events = await transport.exchange(.init(method: method, url: server.origin + "/leave?once"))
    if method == .post {
      guard case .connectionLost? = events.error else {
        Issue.record("\(String(describing: events.error))")
        return
      }
    } else {
      #expect(events.error == nil)
      #expect(events.body == Data("\(method.rawValue) /leave?once h3".utf8))
    }
    #expect(server.count("request \(method.rawValue) /leave?once") == (method == .post ? 1 : 2))
  }

  @Test("a reset stream ends only its own request; a POST is not retried")
  func resets() async throws {
    let server = try server()
    let transport = try CurlTransport(configuration: configuration)
    let events = await transport.exchange(.init(method: .post, url: server.origin + "/reset"))
    guard case .connectionLost? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
    #expect(server.count("request POST /reset") == 1)
    let cut = await transport.exchange(.init(url: server.origin + "/cut"))
    #expect(cut.status == 200)
    guard case .truncatedBody? = cut.error else {
      Issue.record("\(String(describing: cut.error))")
      return
    }
    let later = await transport.exchange(.init(url: server.origin + "/later"))
    #expect(later.head?.headers["X-Connection"] == "1")
  }

  @Test("with an untrusted certificate the request fails, and none of it is sent")
  func trust() async throws {
    let server = try server()
    var stranger = configuration
    stranger.tls.authorities = .data(try LoopbackServer(tls: .generated).authority)
    let unknown = await (try CurlTransport(configuration: stranger)).exchange(.init(url: server.origin))
    guard case .certificate(.unknownIssuer, "127.0.0.1", _)? = unknown.error else {
      Issue.record("\(String(describing: unknown.error))")
      return
    }
    var pinned = configuration
    let other = try PublicKeyPin(sha256: Data(count: 32))
    pinned.serverTrustManager = ServerTrustManager(evaluators: ["*": PublicKeysTrustEvaluator(keys: [other])])
    let mismatch = await (try CurlTransport(configuration: pinned)).exchange(.init(url: server.origin))
    guard case .certificate(.pinMismatch, _, _)? = mismatch.error else {
      Issue.record("\(String(describing: mismatch.error))")
      return
    }
    #expect(!server.events.contains { $0.hasPrefix("request") })
  }

  @Test("without HTTP/3 on the server the request uses HTTP/2, and without TLS HTTP/1.1")
  func fallBack() async throws {
    var options = LoopbackServer.Options()
    options.http2 = .init()
    let secure = try LoopbackServer(tls: .using(identity), options: options) { _ in .text("ok") }
    let plain = try LoopbackServer { _ in .text("ok") }
    let transport = try CurlTransport(configuration: configuration)
    #expect(await transport.exchange(.init(url: plain.origin)).head?.httpVersion == .http1_1)
    for method in [HTTPMethod.get, .post] {
      let events = await transport.exchange(.init(method: method, url: secure.origin))
      #expect(events.error == nil)
      #expect(events.head?.httpVersion == .http2)
    }
    var old = configuration
    old.httpVersion = .http1_1
    let events = await (try CurlTransport(configuration: old)).exchange(.init(url: secure.origin))
    #expect(events.head?.httpVersion == .http1_1)
  }

  @Test("a port on which nothing listens is cannotConnect")
  func nobody() async throws {
    let port = try freePort()
    let events = await (try CurlTransport(configuration: configuration)).exchange(
      .init(url: "https://127.0.0.1:\(port)"))
    guard case .cannotConnect? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
  }
}
