import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Failing servers", .timeLimit(.minutes(5)))
struct ServerFailureTests {
  /// Returns the kind of the error, without its message.
  private func kind(_ error: TransferError?) -> String {
    guard let error else { return "none" }
    return "\(error)".prefix { $0 != "(" }.description
  }

  @Test("a refused connection is cannotConnect", arguments: TransportKind.allCases)
  func refused(transport: TransportKind) async throws {
    // The port of a stopped server may soon be reused; nothing listens on this one.
    let events = await (try transport.make()).exchange(.init(url: "http://127.0.0.1:1/"))
    #expect(kind(events.error) == "cannotConnect")
    #expect(events.heads == 0)
  }

  @Test("a host without an address is cannotFindHost", arguments: TransportKind.allCases)
  func unknownHost(transport: TransportKind) async throws {
    let events = await (try transport.make()).exchange(.init(url: "http://no-such-host.invalid/"))
    #expect(events.error == .cannotFindHost("no-such-host.invalid", isUnsent: transport == .curl))
  }

  @Test("a connection closed or reset without a response is lost", arguments: TransportKind.allCases)
  func noResponse(transport: TransportKind) async throws {
    let server = try LoopbackServer { $0.path == "/close" ? .close : .reset }
    for path in ["/close", "/reset"] {
      let events = await (try transport.make()).exchange(.init(url: server.origin + path))
      #expect(kind(events.error) == "connectionLost", "\(path)")
    }
  }

  @Test("a truncated body, chunked or not, is an error", arguments: TransportKind.allCases)
  func truncated(transport: TransportKind) async throws {
    let server = try LoopbackServer { request in
      let reply = LoopbackServer.Reply.text("0123456789")
      return (request.path == "/chunked" ? reply.chunked(size: 3) : reply).truncated(after: 4)
    }
    for path in ["/length", "/chunked"] {
      let events = await (try transport.make()).exchange(.init(url: server.origin + path))
      #expect(kind(events.error) == "truncatedBody", "\(path)")
      #expect(events.status == 200, "\(path)")
    }
  }

  @Test("a connection reset within the body is lost")
  func resetInBody() async throws {
    let server = try LoopbackServer { _ in .repeating(7, count: 100_000).truncated(after: 50_000, by: .reset)
    }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    #expect(kind(events.error) == "connectionLost")
  }

  @Test(
    "bytes that are not HTTP are a bad response", arguments: TransportKind.allCases,
    ["garbage\r\n\r\n", "\0\u{1}\u{2}", "SSH-2.0-OpenSSH\r\n", "HTTP/1.1\r\n\r\n"])
  func garbage(transport: TransportKind, bytes: String) async throws {
    let server = try LoopbackServer { _ in .raw(bytes.utf8) }
    let events = await (try transport.make()).exchange(.init(url: server.origin))
    #expect(kind(events.error) == "badServerResponse")
    #expect(events.heads == 0)
  }

  @Test("an invalid chunk size and a negative length are bad responses", arguments: ["chunk", "length"])
  func badFraming(which: String) async throws {
    let field = which == "chunk" ? "Transfer-Encoding: chunked" : "Content-Length: -5"
    let server = try LoopbackServer { _ in .raw("HTTP/1.1 200 OK\r\n\(field)\r\n\r\nzz\r\nabc\r\n".utf8) }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    #expect(kind(events.error) == "badServerResponse")
  }

  @Test("a header line of 1 MiB and an endless head are bad responses")
  func endlessHead() async throws {
    let server = try LoopbackServer { request in
      let line = "X: " + String(repeating: "a", count: request.path == "/line" ? 1 << 20 : 1_000) + "\r\n"
      return .raw(
        ("HTTP/1.1 200 OK\r\n" + String(repeating: line, count: request.path == "/line" ? 1 : 2_000)).utf8)
    }
    for path in ["/line", "/head"] {
      let events = await (try CurlTransport()).exchange(.init(url: server.origin + path))
      #expect(kind(events.error) == "badServerResponse", "\(path)")
      #expect(events.heads == 0)
    }
  }

  @Test("a body that does not have its announced encoding is a bad response")
  func badEncoding() async throws {
    let server = try LoopbackServer { _ in .text("not gzip").header("Content-Encoding", "gzip") }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    #expect(kind(events.error) == "badServerResponse")
  }

  @Test(
    "silence before the head or within the body ends after the idle timeout, also below one second"
  )
  func idle() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { request in
      request.path == "/never" ? .never : .text("0123456789").bodyHeld(until: gate, after: 4)
    }
    let transport = try CurlTransport()
    let never = await transport.exchange(.init(url: "\(server.origin)/never", idleTimeout: .milliseconds(50)))
    #expect(never.error?.withoutProof == .timedOut(after: .milliseconds(50)))
    let half = await transport.exchange(.init(url: "\(server.origin)/half", idleTimeout: TestTimeouts.idle))
    #expect(half.error == .timedOut(after: TestTimeouts.idle))
    #expect(half.body == Data("0123".utf8))
    // On a busy machine the shorter timeout may elapse before the request is sent.
    let seen = try await server.log { $0.abandoned.count == $0.requestCount && $0.openConnections == 0 }
    #expect(seen.abandoned.contains { $0.request.path == "/half" })
  }

  @Test(
    "the part of a body that has arrived does not prolong the idle timeout",
    arguments: ["/chunked", "/redirect"])
  func stalled(path: String) async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { request in
      switch request.path {
      case "/chunked": .text("0123456789").chunked(size: 2).bodyHeld(until: gate, after: 4)
      case "/redirect":
        .text("0123456789", status: 302).header("Location", "/other").bodyHeld(until: gate, after: 4)
      default: .never
      }
    }
    let transport = try CurlTransport()
    let log = Log()
    func start(_ path: String, idleTimeout: Duration) -> TransferRecorder {
      let recorder = TransferRecorder(keeping: transport)
      _ = transport.start(.init(url: server.origin + path, idleTimeout: idleTimeout)) { event in
        if case .finished = event { log(path) }
        recorder.record(event)
      }
      return recorder
    }
    let stalled = start(path, idleTimeout: TestTimeouts.idle)
    try await server.log(until: { $0.bytesSent > 0 })
    // Ends before the stalled transfer would if its idle timeout were counted twice.
    let silent = start("/silent", idleTimeout: TestTimeouts.idle * 2 - .seconds(1))
    #expect(await stalled.waitForEnd().error == .timedOut(after: TestTimeouts.idle))
    // On a busy machine the other transfer may also have ended by now.
    #expect(log.all.first == path)
    withExtendedLifetime(silent) {}
  }

  @Test("one second of silence ends a transfer with that timeout", arguments: TransportKind.allCases)
  func idleSecond(transport: TransportKind) async throws {
    let server = try LoopbackServer { _ in .never }
    let events = await (try transport.make()).exchange(.init(url: server.origin, idleTimeout: .seconds(1)))
    #expect(events.error == .timedOut(after: .seconds(1)))
  }

  @Test("a slow body that keeps arriving is not idle")
  func slow() async throws {
    let server = try LoopbackServer { _ in .text("0123456789").trickled(chunk: 1, every: .milliseconds(600)) }
    // Shorter than the nine pauses together.
    let events = await (try CurlTransport()).exchange(
      .init(url: server.origin, idleTimeout: TestTimeouts.idle))
    #expect(events.error == nil)
    #expect(events.body == Data("0123456789".utf8))
  }

  @Test("if a reused connection breaks, only an idempotent request is sent again")
  func resend() async throws {
    let server = try LoopbackServer { $0.indexOnConnection == 1 ? .close : .text("ok") }
    for (method, again) in [
      (HTTPMethod.post, 2), (.patch, 2), (.put, 3), (.get, 3), (.delete, 3), (.query, 3),
    ] {
      let transport = try CurlTransport()
      let before = server.log.requestCount
      let request = TransportRequest(method: method, url: server.origin, body: .data(Data("x".utf8)))
      #expect(await transport.exchange(request).error == nil)
      let second = await transport.exchange(request)
      #expect(kind(second.error) == (again == 2 ? "connectionLost" : "none"), "\(method)")
      #expect(server.log.requestCount - before == again, "\(method)")
    }
  }
}
