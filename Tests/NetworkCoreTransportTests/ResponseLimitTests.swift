import Dispatch
import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Limits of responses", .timeLimit(.minutes(5)))
struct ResponseLimitTests {
  @Test("a body up to the limit is complete, one byte more is an error", arguments: TransportKind.allCases)
  func limit(kind: TransportKind) async throws {
    let server = try LoopbackServer { request in .repeating(7, count: Int(request.query("n") ?? "") ?? 0) }
    var configuration = CurlConfiguration()
    configuration.redirects = .doNotFollow
    let reporting = kind == .curl ? [try CurlTransport(configuration: configuration)] : []
    for transport in [try kind.make()] + reporting {
      for count in [0, 1, 100_000, 100_001] {
        let events = await transport.exchange(
          .init(url: "\(server.origin)/?n=\(count)", responseBodyLimit: 100_000))
        #expect(events.error == (count > 100_000 ? .responseTooLarge(limit: 100_000) : nil))
        #expect(events.body.count <= 100_000)
      }
    }
  }

  @Test("an endless body is cut off, and its connection closed", arguments: TransportKind.allCases)
  func endless(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .repeating(7, count: .max).chunked().throttled(for: kind) }
    let events = await (try kind.make()).exchange(.init(url: server.origin, responseBodyLimit: 1 << 20))
    #expect(events.error == .responseTooLarge(limit: 1 << 20))
    try await server.log(until: { $0.abandoned.count == 1 && $0.openConnections == 0 })
  }

  @Test(
    "over URLSession, a transfer ends when its handler is too far behind the server, by bytes or by pieces",
    arguments: [(nil, 66 << 20, 63 << 20), (1, 300_000, 250_000)] as [(Int?, Int, Int)])
  func slowHandler(chunkSize: Int?, sent: Int, least: Int) async throws {
    let server = try LoopbackServer { _ in
      .repeating(7, count: .max).chunked(size: chunkSize).throttled(for: .urlSession, stallingAfter: sent)
    }
    let recorder = TransferRecorder()
    let gate = DispatchSemaphore(value: 0)
    let transport = URLSessionTransport()
    // Also if the server's log never shows the end, so that no thread stays behind.
    defer { gate.signal() }
    let transfer = transport.start(.init(url: server.origin)) { event in
      if case .head = event { gate.wait() }
      recorder.record(event)
    }
    try await server.log(until: { $0.abandoned.count == 1 })
    gate.signal()
    let events = await recorder.waitForEnd()
    guard case .other(_, let reason)? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
    #expect(reason == "its receiver is 64 MiB behind the server, which URLSession cannot delay")
    #expect(events.body.count <= 64 << 20)
    #expect(events.body.count > least)
    withExtendedLifetime((transfer, transport)) {}
  }

  @Test("a small body that decompresses to a large one is cut off during decompression")
  func bomb() async throws {
    let compressed = Data(base64Encoded: Self.bomb) ?? Data()
    let server = try LoopbackServer { _ in .bytes(compressed).header("Content-Encoding", "gzip, gzip") }
    let transport = try CurlTransport()
    let events = await transport.exchange(.init(url: server.origin, responseBodyLimit: 1 << 20))
    #expect(events.error == .responseTooLarge(limit: 1 << 20))
    #expect(events.body.count <= 1 << 20)
    let whole = await transport.exchange(.init(url: server.origin))
    #expect(whole.error == nil)
    #expect(whole.body.count == 8 << 20)
  }

  @Test("a small HTTP/2 head that decompresses to a large one is rejected")
  func headBomb() async throws {
    // HPACK (RFC 7541, section 6): a field of 4,000 bytes enters the table, and each byte that follows refers
    // to it.
    let value = [UInt8](repeating: UInt8(ascii: "x"), count: 4_000)
    let block =
      [0x88, 0x40, 1, UInt8(ascii: "a"), 0x7F, 0xA1, 0x1E] + value + [UInt8](repeating: 0xBE, count: 120)
    let length = [UInt8(block.count >> 8), UInt8(block.count & 0xFF)]
    let server = try RawServer { stream, _ in
      _ = stream.read(until: "asked")
      stream.write([0, 0, 0, 4, 0, 0, 0, 0, 0] + [0] + length + [1, 5, 0, 0, 0, 1] + block)
      _ = stream.read(until: "never")
    }
    var configuration = CurlConfiguration()
    configuration.httpVersion = .http2PriorKnowledge
    let events = await (try CurlTransport(configuration: configuration)).exchange(
      .init(method: .post, url: "http://127.0.0.1:\(server.port)", body: .data(Data("asked".utf8))))
    guard case .badServerResponse? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
  }

  @Test("a paused body that exceeds the limit after resuming is an error")
  func pausedBomb() async throws {
    let compressed = Data(base64Encoded: Self.bomb) ?? Data()
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { request in
      request.path == "/small"
        ? .text("ok") : .bytes(compressed).header("Content-Encoding", "gzip, gzip").bodyHeld(until: gate)
    }
    let transport = try CurlTransport()
    let (token, recorder) = transport.record(.init(url: server.origin, responseBodyLimit: 1 << 20))
    let transfer = try #require(token as? any Transfer)
    await recorder.waitUntil { $0.head != nil }
    transfer.pause()
    gate.open()
    try await server.log(until: { $0.answered == 1 })
    // The data that arrived meanwhile has been read.
    for _ in 0..<3 { #expect(await transport.exchange(.init(url: "\(server.origin)/small")).error == nil) }
    transfer.resume()
    let events = await recorder.waitForEnd()
    #expect(events.error == .responseTooLarge(limit: 1 << 20))
    #expect(events.body.count <= 1 << 20)
  }

  @Test("the body of a redirect does not count, and the limit stays in force")
  func redirect() async throws {
    let server = try LoopbackServer { request in
      guard request.path != "/end" else { return .repeating(7, count: 2_000) }
      var reply = LoopbackServer.Reply.repeating(7, count: 50_000).header("Location", "/end")
      reply.status = 302
      return reply
    }
    let transport = try CurlTransport()
    #expect(
      await transport.exchange(.init(url: server.origin, responseBodyLimit: 2_000)).body.count == 2_000)
    #expect(
      await transport.exchange(.init(url: server.origin, responseBodyLimit: 1_999)).error
        == .responseTooLarge(limit: 1_999))
  }

  @Test(
    "a head or trailers of more than 256 KiB are rejected, however they are split",
    arguments: ["head", "interim", "trailers"])
  func head(part: String) async throws {
    let field = "X: " + String(repeating: "a", count: 1_000) + "\r\n"
    let many = String(repeating: field, count: 300)
    let server = try LoopbackServer { _ in
      switch part {
      case "head": .raw("HTTP/1.1 200 OK\r\n\(many)Content-Length: 0\r\n\r\n".utf8)
      case "interim":
        .raw(
          (String(repeating: "HTTP/1.1 103 Early\r\n\(field)\r\n", count: 300)
            + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").utf8)
      default: .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\(many)\r\n".utf8)
      }
    }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    #expect(events.error == .badServerResponse(reason: "its head has more than 262144 bytes"))
  }

  @Test("a head of 256 KiB is accepted, and one byte more is rejected", arguments: [0, 1])
  func longestHead(surplus: Int) async throws {
    let begin = "HTTP/1.1 200 OK\r\n"
    let end = "Content-Length: 0\r\n\r\n"
    func field(of size: Int) -> String { "X: " + String(repeating: "a", count: size - 5) + "\r\n" }
    let last = field(of: 1_024 - begin.utf8.count - end.utf8.count + surplus)
    let head = begin + String(repeating: field(of: 1_024), count: 255) + last + end
    let server = try LoopbackServer { _ in .raw(head.utf8) }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    let refusal = TransferError.badServerResponse(reason: "its head has more than 262144 bytes")
    #expect(events.error == (surplus == 0 ? nil : refusal))
  }

  @Test("the heads of redirects do not count towards the limit of the final one")
  func headsOfRedirects() async throws {
    let fields = String(repeating: "X: " + String(repeating: "a", count: 1_000) + "\r\n", count: 150)
    let server = try LoopbackServer { request in
      let left = Int(request.path.dropFirst()) ?? 0
      let status = left > 0 ? "302 Found\r\nLocation: /\(left - 1)" : "200 OK"
      return .raw("HTTP/1.1 \(status)\r\n\(fields)Content-Length: 0\r\n\r\n".utf8)
    }
    let events = await (try CurlTransport()).exchange(.init(url: "\(server.origin)/2"))
    #expect(events.error == nil)
    #expect(events.status == 200)
    #expect(server.log.requestCount == 3)
  }

  /// 8 MiB of zeros, compressed twice.
  private static let bomb = """
    H4sIAAAAAAACA+3XsQ2CQACF4TsuJhdGsCEm7sAEzsEqJJQ2DuAOLGDDCrSsQBhBPMbAfF/11697zTOHQ5XWKcYS/e\
    s7brkOAAAAwJ/rlyFVR9z2rr3bAwAAAE7gfXl85mu59eEH2xnUp+8fAAA=
    """

  @Test("5,000 fields are accepted and converted for Foundation; one more is rejected")
  func manyFields() async throws {
    let count = 5_000
    let lines = (0..<count).map { String($0, radix: 36) + ":\n" }.joined()
    let server = try LoopbackServer { _ in .raw(("HTTP/1.1 204 N\n" + lines + "\n").utf8) }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    let head = try #require(events.head, "\(String(describing: events.error))")
    #expect(head.headers.count == count)
    #expect(head.headers.dictionary.count == count)
    #expect(head.httpURLResponse?.headers.count == count)
    server.route("/more") { _ in .raw(("HTTP/1.1 204 N\n" + lines + "one-more:\n\n").utf8) }
    let more = await (try CurlTransport()).exchange(.init(url: "\(server.origin)/more"))
    guard case .badServerResponse? = more.error else {
      Issue.record("\(String(describing: more.error))")
      return
    }
  }
}
