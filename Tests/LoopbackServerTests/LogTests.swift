import LoopbackServer
import Testing

@Suite("The log, and waiting for it", .timeLimit(.minutes(5)))
struct LogTests {
  @Test("a response is counted when its peer has received it")
  func countedAtOnce() throws {
    let server = try LoopbackServer { _ in .text("x") }
    let peer = try RawClient(server)
    for count in 1...500 {
      _ = try peer.response("GET", "/")
      #expect(server.log.answered == count)
      #expect(server.log.pending == 0)
    }
  }

  @Test("bytes are counted as sent and received")
  func bytes() throws {
    let server = try LoopbackServer { _ in .raw("12345".utf8) }
    let peer = try RawClient(server)
    try peer.write("GET / HTTP/1.0\r\n\r\n")
    #expect(try peer.readToEnd() == "12345")
    #expect(server.log.bytesSent == 5)
    #expect(server.log.bytesReceived == 18)
  }

  @Test("the peak of simultaneous connections stays in the log after they close")
  func peak() throws {
    let server = try LoopbackServer { _ in .status(200) }
    let peers = try (0..<3).map { _ in try RawClient(server) }
    for peer in peers { _ = try peer.response("GET", "/") }
    for peer in peers { peer.disconnect() }
    try server.waitUntil { $0.openConnections == 0 }
    _ = try RawClient(server).response("GET", "/")
    #expect(server.log.peakConnections == 3)
    #expect(server.log.connectionsAccepted == 4)
  }

  @Test("a request is in the log before its handler runs")
  func before() throws {
    let server = try LoopbackServer()
    server.route("/") { [weak server] _ in .text("\(server?.log.requests.count ?? 0)") }
    let peer = try RawClient(server)
    for number in 1...3 { #expect(try peer.response("GET", "/").text == "\(number)") }
  }

  @Test("requests beyond the kept ones are counted")
  func keptRequests() throws {
    var options = LoopbackServer.Options()
    options.keptRequests = 2
    let server = try LoopbackServer(options: options)
    let peer = try RawClient(server)
    for number in 0..<5 { _ = try peer.response("GET", "/\(number)") }
    #expect(server.log.requests.map(\.path) == ["/0", "/1"])
    #expect(server.log.requestCount == 5)
  }

  @Test("the log keeps the bodies that fit, and the handler gets all of them")
  func keptLogBytes() throws {
    var options = LoopbackServer.Options()
    options.keptLogBytes = 10
    let server = try LoopbackServer(options: options) { .text($0.text) }
    let peer = try RawClient(server)
    for body in ["123456", "7890123", "4567"] {
      #expect(try peer.response("PUT", "/", body: body).text == body)
    }
    #expect(server.log.requests.map(\.text) == ["123456", "", "4567"])
    #expect(server.log.requests.map(\.bodyLength) == [6, 7, 4])
  }

  @Test("the body of an abandoned request is left out if it does not fit")
  func abandonedBody() throws {
    var options = LoopbackServer.Options()
    options.keptLogBytes = 2
    let server = try LoopbackServer(options: options)
    for (count, body) in ["abc", "ab"].enumerated() {
      let peer = try RawClient(server)
      let received = server.log.bytesReceived
      let part = "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n\(body)"
      try peer.write(part)
      try server.waitUntil { $0.bytesReceived == received + part.utf8.count }
      peer.disconnect()
      try server.waitUntil { $0.abandonedCount == count + 1 }
    }
    #expect(server.log.abandoned.map(\.request.text) == ["", "ab"])
    #expect(server.log.abandoned.map(\.request.bodyLength) == [3, 2])
  }

  @Test("the description shows the last ten requests")
  func description() throws {
    let server = try LoopbackServer()
    let peer = try RawClient(server)
    for number in 0..<12 { _ = try peer.response("GET", "/\(number)") }
    let last = (2..<12).map { "GET /\($0)" }.joined(separator: ", ")
    #expect(server.log.description.hasSuffix("last requests: [\(last)]"))
  }

  @Test("a condition that already holds is met at once, also after the server has stopped")
  func holdsAlready() throws {
    let server = try LoopbackServer()
    #expect(try server.waitUntil(timeout: .zero) { $0.requestCount == 0 }.connectionsAccepted == 0)
    server.stop()
    try server.waitUntil(timeout: .zero) { $0.requestCount == 0 }
  }

  @Test("a blocking wait that times out throws the current log")
  func timesOut() throws {
    let server = try LoopbackServer()
    _ = try RawClient(server).response("GET", "/seen")
    let error = try #require(throws: LoopbackServer.WaitError.self) {
      try server.waitUntil(timeout: .milliseconds(20)) { $0.requestCount == 2 }
    }
    guard case .timedOut(after: .milliseconds(20), let log) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(log.requestCount == 1)
    #expect(error.description.contains("GET /seen"))
  }

  @Test("a suspending wait that times out throws the current log")
  func timesOutSuspended() async throws {
    let server = try LoopbackServer()
    let error = await #expect(throws: LoopbackServer.WaitError.self) {
      try await server.log(timeout: .milliseconds(20)) { $0.requestCount == 2 }
    }
    #expect(error == .timedOut(after: .milliseconds(20), log: server.log))
  }

  @Test("a suspended task resumes when its condition is met")
  func suspends() async throws {
    let server = try LoopbackServer { _ in .never }
    async let log = server.log { $0.abandoned.count == 3 }
    let peers = try (0..<3).map { _ in try RawClient(server) }
    for peer in peers { try peer.sendRequest("GET", "/") }
    try await server.log { $0.pending == 3 }
    for peer in peers { peer.disconnect() }
    #expect(try await log.abandoned.count == 3)
  }

  @Test("a waiting caller is notified of a change before the timeout")
  func toldOfChange() async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let start = ContinuousClock.now
    async let suspended = server.log(timeout: .seconds(600)) { $0.requestCount == 1 }
    let peer = try RawClient(server)
    #expect(try peer.response("GET", "/").status == 200)
    #expect(try await suspended.requestCount == 1)
    peer.disconnect()
    try server.waitUntil(timeout: .seconds(600)) { $0.openConnections == 0 }
    #expect(ContinuousClock.now - start < .seconds(300))
  }

  @Test("a cancelled task stops waiting")
  func cancelled() async throws {
    let server = try LoopbackServer()
    let task = Task { try await server.log(timeout: .seconds(3600)) { _ in false } }
    task.cancel()
    let result = await task.result
    #expect(throws: LoopbackServer.WaitError.cancelled(log: server.log)) { try result.get() }
  }

  @Test("a server that stops ends the wait")
  func stopped() async throws {
    let server = try LoopbackServer { _ in .never }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/")
    try await server.log { $0.pending == 1 }
    let waiting = Task { try await server.log(timeout: .seconds(3600)) { _ in false } }
    server.stop()
    let result = await waiting.result
    #expect(throws: LoopbackServer.WaitError.stopped(log: server.log)) { try result.get() }
    #expect(throws: LoopbackServer.WaitError.stopped(log: server.log)) { try server.waitUntil { _ in false } }
    #expect(server.log.brokenOff == 1)
    #expect(server.log.pending == 0)
    #expect(server.log.openConnections == 0)
  }

  @Test("a handler must not wait for the log")
  func fromHandler() throws {
    let server = try SelfReferencingServer()
    #expect(try RawClient(server.server).response("GET", "/").text == "calledByHandler")
  }

  /// A server whose handler refers to it.
  private final class SelfReferencingServer {
    let server: LoopbackServer

    init() throws {
      let server = try LoopbackServer()
      self.server = server
      server.route("/") { [weak server] _ in
        do throws(LoopbackServer.WaitError) {
          try server?.waitUntil { _ in false }
          return .text("waited")
        } catch {
          return .text("\(error == .calledByHandler ? "calledByHandler" : error.description)")
        }
      }
    }
  }
}
