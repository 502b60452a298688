import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

/// A response byte for byte, and the error that it causes, without the message.
private struct InvalidResponse: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let bytes: [UInt8]
  let error: String
  /// `true` if a head is delivered before the error.
  let hasHead: Bool
  /// The body with a libcurl that joins the lines of a field before it parses it, as 8.19 and newer do.
  let joined: String?

  init(_ name: String, _ text: String, _ error: String, hasHead: Bool = false, joined: String? = nil) {
    self.joined = joined
    testDescription = name
    bytes = Array(text.utf8)
    self.error = error
    self.hasHead = hasHead
  }
}

private let ok = "HTTP/1.1 200 OK\r\n"
private let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
private let manyFields = String(repeating: "X: " + String(repeating: "a", count: 1_000) + "\r\n", count: 300)

private let brokenResponses = [
  InvalidResponse("nothing", "", "connectionLost"),
  InvalidResponse("no HTTP", "SSH-2.0-OpenSSH_9.2\r\n", "badServerResponse"),
  InvalidResponse("an empty line first", "\r\n" + ok + "\r\n", "badServerResponse"),
  InvalidResponse("a status of two digits", "HTTP/1.1 99 OK\r\n\r\n", "badServerResponse"),
  InvalidResponse("a status of four digits", "HTTP/1.1 1000 OK\r\n\r\n", "badServerResponse"),
  InvalidResponse("an invalid status", "HTTP/1.1 2x0 OK\r\n\r\n", "badServerResponse"),
  InvalidResponse("an unknown version", "HTTP/9.9 200 OK\r\n\r\n", "badServerResponse"),
  InvalidResponse("a head cut off within the status line", "HTTP/1.1 20", "connectionLost"),
  InvalidResponse("a head cut off after the status line", ok, "connectionLost"),
  InvalidResponse("a head cut off within a field", ok + "Content-Le", "connectionLost"),
  InvalidResponse("a head cut off before its end", ok + "Content-Length: 2\r\n", "connectionLost"),
  InvalidResponse("only an informational head", "HTTP/1.1 100 Continue\r\n\r\n", "connectionLost"),
  InvalidResponse(
    "an unrequested protocol", "HTTP/1.1 101 Yes\r\nUpgrade: h2c\r\n\r\nzz", "badServerResponse"),
  InvalidResponse("a line without a colon", ok + "nonsense\r\n\r\n", "badServerResponse"),
  InvalidResponse("a NUL in a field", ok + "X: a\0b\r\n\r\n", "badServerResponse"),
  InvalidResponse("a CR in a field", ok + "X: a\rY: b\r\nContent-Length: 0\r\n\r\n", "badServerResponse"),
  InvalidResponse("a continuation line first", ok + " X: a\r\n\r\n", "badServerResponse"),
  InvalidResponse("a line with a tab first", ok + "\tX: a\r\n\r\n", "badServerResponse"),
  InvalidResponse("a head of 300 KiB", ok + manyFields + "\r\n", "badServerResponse"),
  InvalidResponse(
    "a line of 1 MiB", ok + "X: " + String(repeating: "a", count: 1 << 20) + "\r\n\r\n", "badServerResponse"),
  InvalidResponse(
    "two lengths", ok + "Content-Length: 2\r\nContent-Length: 4\r\n\r\nokok", "badServerResponse"),
  InvalidResponse("two lengths in one field", ok + "Content-Length: 2, 4\r\n\r\nokok", "badServerResponse"),
  InvalidResponse("a length with a sign", ok + "Content-Length: +2\r\n\r\nok", "badServerResponse"),
  InvalidResponse("a negative length", ok + "Content-Length: -2\r\n\r\nok", "badServerResponse"),
  InvalidResponse("a length in hexadecimal", ok + "Content-Length: 0x2\r\n\r\nok", "badServerResponse"),
  InvalidResponse("a length of two lines", ok + "Content-Length: 2\r\n 0\r\n\r\nok", "badServerResponse"),
  InvalidResponse("a space after a name", ok + "Content-Length : 2\r\n\r\nok", "badServerResponse"),
  InvalidResponse(
    "chunks in a second line", ok + "Transfer-Encoding:\r\n\tchunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "badServerResponse", joined: "ok"),
  InvalidResponse(
    "a Location of two lines", "HTTP/1.1 302 F\r\nLocation: /a\r\n b\r\nContent-Length: 0\r\n\r\n",
    "badServerResponse", joined: "next"),
  InvalidResponse("a length without digits", ok + "Content-Length: \r\n\r\nok", "badServerResponse"),
  InvalidResponse(
    "a length of 20 digits", ok + "Content-Length: 99999999999999999999\r\n\r\nok", "badServerResponse"),
  InvalidResponse(
    "a body cut off", ok + "Content-Length: 9223372036854775807\r\n\r\nok", "truncatedBody", hasHead: true),
  InvalidResponse("a chunk cut off", chunked + "5\r\nhel", "truncatedBody", hasHead: true),
  InvalidResponse("chunks without an end", chunked + "5\r\nhello\r\n", "truncatedBody", hasHead: true),
  InvalidResponse(
    "an end of chunks cut off", chunked + "5\r\nhello\r\n0\r\n", "truncatedBody", hasHead: true),
  InvalidResponse("an invalid chunk size", chunked + "zz\r\nhello\r\n0\r\n\r\n", "badServerResponse"),
  InvalidResponse("a chunk size with a sign", chunked + "-5\r\nhello\r\n0\r\n\r\n", "badServerResponse"),
  InvalidResponse(
    "a chunk size of 72 bits", chunked + "ffffffffffffffffff\r\nhello\r\n0\r\n\r\n", "badServerResponse"),
  InvalidResponse(
    "a chunk longer than its size", chunked + "5\r\nhelloXX0\r\n\r\n", "badServerResponse", hasHead: true),
  InvalidResponse(
    "trailers of 300 KiB", chunked + "5\r\nhello\r\n0\r\n" + manyFields + "\r\n", "badServerResponse",
    hasHead: true),
  InvalidResponse(
    "an encoding that was not applied", ok + "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
    "badServerResponse", hasHead: true),
  InvalidResponse(
    "an unknown transfer coding", ok + "Transfer-Encoding: rot13\r\n\r\nuryyb", "badServerResponse",
    hasHead: true),
  InvalidResponse(
    "too many codings",
    ok + "Content-Encoding: " + Array(repeating: "gzip", count: 50).joined(separator: ", ") + "\r\n\r\nhello",
    "badServerResponse"),
]

@Suite("Responses that break the rules", .timeLimit(.minutes(5)))
struct InvalidResponseTests {
  @Test(
    "a malformed response is a specific error, its connection is not reused, and the next request succeeds",
    arguments: brokenResponses)
  private func broken(response: InvalidResponse) async throws {
    let server = try LoopbackServer { _ in .text("next") }
    server.route("/broken") { _ in .raw(response.bytes) }
    let transport = try CurlTransport()
    #expect(await transport.exchange(.init(url: server.origin)).error == nil)
    let events = await transport.exchange(.init(method: .post, url: "\(server.origin)/broken"))
    if let joined = response.joined, events.error == nil {
      #expect(events.body == Data(joined.utf8))
      return
    }
    #expect(
      "\(try #require(events.error))".prefix { $0 != "(" } == response.error,
      "\(String(describing: events.error))")
    if !response.hasHead { #expect(events.pieces.isEmpty) }
    if response.error == "connectionLost" { #expect(events.heads == 0) }
    let next = await transport.exchange(.init(url: server.origin))
    #expect(next.error == nil)
    #expect(next.body == Data("next".utf8))
    let connections = server.log.requests.map(\.connection)
    #expect(connections.count == 3)
    // If nothing arrived, libcurl opens a second connection to send again, which it is not allowed to do.
    #expect(connections.last != 1)
  }

  @Test("a continuation line at the beginning is an error, also after an informational head or a redirect")
  func continuedLine() async throws {
    let server = try LoopbackServer { request in
      switch request.path {
      case "/interim":
        .raw("HTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\n c: d\r\nContent-Length: 2\r\n\r\nok".utf8)
      case "/from": .redirect(to: "/broken")
      default: .raw("HTTP/1.1 200 OK\r\n x\r\nContent-Length: 2\r\n\r\nok".utf8)
      }
    }
    let transport = try CurlTransport()
    for _ in 0..<20 {
      let interim = await transport.exchange(.init(url: "\(server.origin)/interim"))
      #expect(interim.error == nil)
      #expect(interim.head?.headers.map(\.name) == ["Content-Length"])
      guard case .badServerResponse? = await transport.exchange(.init(url: "\(server.origin)/from")).error
      else {
        Issue.record("it was read")
        return
      }
    }
  }

  @Test(
    "bytes after a response are not the response to the next request, whether they arrive at once or later",
    arguments: [0, 200], [HTTPMethod.get, .post])
  func surplus(delay: Int, method: HTTPMethod) async throws {
    let first = ok + "Content-Length: 2\r\n\r\nok"
    let server = try LoopbackServer { request in
      guard request.path == "/surplus" else { return .text("next") }
      let both = LoopbackServer.Reply.raw(
        (first + ok + "Content-Length: 6\r\n\r\nforged").utf8, closing: false)
      return delay == 0 ? both : both.bodyDelayed(by: .milliseconds(delay), after: first.utf8.count)
    }
    let transport = try CurlTransport()
    #expect(await transport.exchange(.init(url: "\(server.origin)/surplus")).body == Data("ok".utf8))
    // The server has sent everything, and on the loopback interface it arrives at once.
    try await server.log(until: { $0.answered == 1 })
    let next = await transport.exchange(.init(method: method, url: server.origin))
    #expect(next.error == nil)
    #expect(next.body == Data("next".utf8))
    #expect(server.log.requests.map(\.connection) == [1, 2])
    // The new connection works.
    #expect(await transport.exchange(.init(url: server.origin)).body == Data("next".utf8))
    #expect(server.log.connectionsAccepted == 2)
  }

  @Test(
    "bytes after a response over IPv6 are not the response to the next request",
    .enabled(if: (try? LoopbackServer(on: .ipv6())) != nil, "the machine has no IPv6"))
  func surplusOverIPv6() async throws {
    let first = ok + "Content-Length: 2\r\n\r\nok"
    let server = try LoopbackServer(on: .ipv6()) { request in
      guard request.path == "/surplus" else { return .text("next") }
      return .raw((first + ok + "Content-Length: 6\r\n\r\nforged").utf8, closing: false)
        .bodyDelayed(by: .milliseconds(200), after: first.utf8.count)
    }
    let transport = try CurlTransport()
    #expect(await transport.exchange(.init(url: "\(server.origin)/surplus")).body == Data("ok".utf8))
    try await server.log(until: { $0.answered == 1 })
    #expect(await transport.exchange(.init(url: server.origin)).body == Data("next".utf8))
    #expect(server.log.requests.map(\.connection) == [1, 2])
  }

  @Test("an invalid chunk size is a bad response, not a lost connection, if the server leaves it open")
  func invalidChunkSize() async throws {
    let server = try LoopbackServer { _ in .raw((chunked + "zz\r\nhello\r\n").utf8, closing: false) }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    guard case .badServerResponse? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
  }

  @Test("a redirect on the new connection after such a surplus is followed on that connection")
  func redirectAfterSurplus() async throws {
    let first = ok + "Content-Length: 2\r\n\r\nok"
    let server = try LoopbackServer { request in
      switch request.path {
      // Sent later, because libcurl itself drops a connection if the surplus arrives with the response.
      case "/surplus":
        .raw((first + ok).utf8, closing: false).bodyDelayed(by: .milliseconds(200), after: first.utf8.count)
      case "/from": .redirect(to: "/to")
      default: .text("there")
      }
    }
    let transport = try CurlTransport()
    #expect(await transport.exchange(.init(url: "\(server.origin)/surplus")).body == Data("ok".utf8))
    try await server.log(until: { $0.answered == 1 })
    #expect(await transport.exchange(.init(url: "\(server.origin)/from")).body == Data("there".utf8))
    #expect(server.log.requests.map(\.connection) == [1, 2, 2])
  }

  @Test("an idle connection without unexpected data is reused for every request, and so is one of 20")
  func quiet() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { request in
      request.path == "/held" ? .text("ok").held(until: gate) : .text("ok")
    }
    let transport = try CurlTransport()
    let held = (0..<20).map { _ in transport.record(.init(url: "\(server.origin)/held")) }
    try await server.log(until: { $0.pending == 20 })
    gate.open()
    for item in held { #expect(await item.recorder.waitForEnd().error == nil) }
    for _ in 0..<50 {
      #expect(await transport.exchange(.init(method: .post, url: server.origin)).error == nil)
    }
    #expect(server.log.connectionsAccepted == 20)
  }

  @Test(
    "a trickled head or body ends with the total timeout, and with the idle timeout if the gaps are long",
    arguments: ["head", "body"])
  func drops(part: String) async throws {
    let server = try LoopbackServer { request in
      let gap = Duration.milliseconds(request.path == "/often" ? 50 : 3_600_000)
      let long = String(repeating: "a", count: 200)
      let reply: LoopbackServer.Reply = part == "head" ? .raw((ok + long).utf8) : .text(long)
      return reply.trickled(chunk: 1, every: gap)
    }
    var configuration = CurlConfiguration()
    configuration.timeouts.total = .milliseconds(1500)
    let often = await (try CurlTransport(configuration: configuration))
      .exchange(.init(url: "\(server.origin)/often"))
    #expect(often.error == .timedOut(.total, after: .milliseconds(1500)))
    let transport = try CurlTransport()
    let rarely = await transport.exchange(
      .init(url: "\(server.origin)/rarely", idleTimeout: .milliseconds(500)))
    #expect(rarely.error?.withoutProof == .timedOut(.idle, after: .milliseconds(500)))
    // On a busy machine the shorter timeout may elapse before the request is sent.
    let seen = try await server.log { $0.abandoned.count == $0.requestCount && $0.openConnections == 0 }
    #expect(seen.abandoned.contains { $0.request.path == "/often" })
  }

  @Test("an endless chunk extension does not count as progress")
  func endlessExtension() async throws {
    let server = try LoopbackServer { _ in
      .raw((chunked + "5;" + String(repeating: "a", count: 4 << 20)).utf8)
        .trickled(chunk: 4_096, every: .milliseconds(20))
    }
    let events = await (try CurlTransport()).exchange(
      .init(url: server.origin, idleTimeout: .milliseconds(500)))
    #expect(events.error?.withoutProof == .timedOut(.idle, after: .milliseconds(500)))
    #expect(events.pieces.isEmpty)
    try await server.log(until: { $0.openConnections == 0 })
  }
}
