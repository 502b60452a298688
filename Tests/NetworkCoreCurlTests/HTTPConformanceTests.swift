import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("HTTP's requirements for clients", .timeLimit(.minutes(5)))
struct HTTPConformanceTests {
  @Test("a large body does not wait for 100 (Continue), which the server would never send")
  func expect100() async throws {
    let server = try LoopbackServer { .text("\($0.bodyLength)") }
    let body = Data(repeating: 7, count: 4 << 20)
    for method in [HTTPMethod.post, .put] {
      let events = await (try CurlTransport()).exchange(
        .init(method: method, url: server.origin, body: .data(body)))
      #expect(events.body == Data("4194304".utf8))
      #expect(server.log.requests.last?.headers["Expect"] == nil)
    }
  }

  @Test(
    "a 417 to the request's own Expect is the response, and the request is not retried",
    arguments: [HTTPMethod.post, .put])
  func unexpected(method: HTTPMethod) async throws {
    let heads = Log()
    let server = try RawServer { stream, _ in
      while case let head = stream.read(until: "\r\n\r\n"), !head.isEmpty {
        heads(head)
        stream.write(Array("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n".utf8))
      }
    }
    let body = Data(repeating: 7, count: 4 << 20)
    let request = TransportRequest(
      method: method, url: "http://127.0.0.1:\(server.port)/a", headers: ["Expect": "100-continue"],
      body: .data(body))
    let events = await (try CurlTransport()).exchange(request)
    #expect(events.error == nil)
    #expect(events.heads == 1)
    #expect(events.status == 417)
    #expect(heads.all.count == 1)
    #expect(heads.all.first?.contains("Expect: 100-continue\r\n") == true)
  }

  @Test(
    "a response to HEAD or with status 204 or 304 has no body, whatever its length and whatever follows",
    arguments: [("HEAD", 200), ("GET", 204), ("GET", 304), ("HEAD", 404), ("POST", 304)])
  func bodiless(method: String, status: Int) async throws {
    let server = try LoopbackServer { request in
      guard request.path == "/odd" else { return .text("next") }
      return .raw("HTTP/1.1 \(status) Odd\r\nContent-Length: 2000\r\n\r\n".utf8, closing: false)
    }
    server.route("/surplus") { _ in
      .raw(
        "HTTP/1.1 \(status) Odd\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\n".utf8, closing: false)
    }
    let transport = try CurlTransport()
    for path in ["/odd", "/surplus"] {
      let events = await transport.exchange(.init(method: .init(rawValue: method), url: server.origin + path))
      #expect(events.error == nil)
      #expect(events.status == status)
      #expect(events.head?.headers["Content-Length"] == (path == "/odd" ? "2000" : "2"))
      #expect(events.pieces.isEmpty)
      #expect(await transport.exchange(.init(url: server.origin)).body == Data("next".utf8))
    }
    // The first response is valid, so its connection is kept.
    #expect(server.log.requests.prefix(3).map(\.connection) == [1, 1, 1])
  }

  @Test(
    "a length may be repeated (RFC 9110, section 8.6)",
    arguments: ["Content-Length: 2\r\nContent-Length: 2", "Content-Length: 2, 2"])
  func repeatedLength(fields: String) async throws {
    let server = try LoopbackServer { _ in .raw("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nok".utf8) }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    #expect(events.error == nil)
    #expect(events.body == Data("ok".utf8))
  }

  @Test("a status line may have no reason, and a line may end without a CR", arguments: ["", " "])
  func shortStatusLine(reason: String) async throws {
    let server = try LoopbackServer { _ in .raw("HTTP/1.1 204\(reason)\nA: b\n\n".utf8) }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    #expect(events.error == nil)
    #expect(events.status == 204)
    #expect(events.head?.headers.dictionary == ["A": "b"])
  }

  @Test("a continuation line extends the value before it, and a blank one changes nothing")
  func continuation() async throws {
    let fields = "A: b\r\n c\r\nD:\r\n e\r\nF: g\r\n \t\r\nH:\r\n\r\n"
    let server = try LoopbackServer { _ in .raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\(fields)".utf8) }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    #expect(events.error == nil)
    let expected = ["Content-Length": "0", "A": "b c", "D": "e", "F": "g", "H": ""]
    #expect(events.head?.headers.dictionary == expected)
  }

  @Test(
    "an encoded body is decoded if libcurl supports the encoding",
    arguments: [
      ("gzip", "H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA=="), ("deflate", "eJzLSM3JyVfIQJAAOi4GfQ=="),
      ("br", "GxAA+I2Ubt5EVYaWbCBvAU8cYBw="), ("zstd", "KLUv/SARZQAAMGhlbGxvIAEAMUoR"),
    ])
  func encodings(name: String, compressed: String) async throws {
    let bytes = try #require(Data(base64Encoded: compressed))
    let server = try LoopbackServer { _ in .bytes(bytes).header("Content-Encoding", name) }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    let offered = try #require(server.log.requests.first?.headers["Accept-Encoding"])
    guard offered.contains(name) else {
      // The encoding was not requested, so a server that sends it is at fault.
      #expect(events.error != nil)
      return
    }
    #expect(events.error == nil)
    #expect(events.body == Data("hello hello hello".utf8))
  }

  @Test("if the idle connection has closed meanwhile, a POST is sent once over a new one")
  func closedWhileIdle() async throws {
    let server = try LoopbackServer { request in
      request.path == "/closing" ? .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8) : .text("done")
    }
    let transport = try CurlTransport()
    for _ in 0..<3 {
      #expect(await transport.exchange(.init(url: "\(server.origin)/closing")).body == Data("ok".utf8))
      try await server.log(until: { $0.openConnections == 0 })
      let events = await transport.exchange(
        .init(
          method: .post, url: server.origin, headers: ["Connection": "close"], body: .data(Data("x".utf8))))
      #expect(events.body == Data("done".utf8), "\(String(describing: events.error))")
      try await server.log(until: { $0.openConnections == 0 })
    }
    #expect(server.log.requests.count { $0.method == "POST" } == 3)
  }

  @Test("requests beyond the limit for all hosts wait for a connection")
  func limit() async throws {
    let gate = LoopbackServer.Gate()
    let servers = try (0..<3).map { _ in try LoopbackServer { _ in .text("ok").held(until: gate) } }
    var configuration = CurlConfiguration()
    configuration.connections.limit = 2
    let transport = try CurlTransport(configuration: configuration)
    let started = servers.map { transport.record(.init(url: $0.origin)) }
    try await servers[0].log(until: { $0.pending == 1 })
    try await servers[1].log(until: { $0.pending == 1 })
    #expect(servers[2].log.connectionsAccepted == 0)
    gate.open()
    for item in started { #expect(await item.recorder.waitForEnd().error == nil) }
    #expect(servers[2].log.requestCount == 1)
  }

  @Test("a request that waits for a connection can be cancelled, and never opens one")
  func cancelledInLine() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .text("ok").held(until: gate) }
    var configuration = CurlConfiguration()
    configuration.connections.limitPerHost = 1
    let transport = try CurlTransport(configuration: configuration)
    let first = transport.record(.init(url: server.origin))
    try await server.log(until: { $0.pending == 1 })
    let second = transport.record(.init(url: server.origin))
    second.transfer.cancel()
    #expect(await second.recorder.waitForEnd().error == .cancelled)
    gate.open()
    #expect(await first.recorder.waitForEnd().error == nil)
    #expect(await transport.exchange(.init(url: server.origin)).error == nil)
    #expect(server.log.requestCount == 2)
    #expect(server.log.connectionsAccepted == 1)
  }
}
