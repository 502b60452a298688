#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif
import LoopbackServer
import Testing

@Suite("Faults on demand", .timeLimit(.minutes(5)))
struct FaultTests {
  @Test("a reply that closes ends the connection without a byte")
  func close() throws {
    let server = try LoopbackServer { _ in .close }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/")
    #expect(try peer.readToEnd() == "")
    #expect(server.log.brokenOff == 1)
    #expect(server.log.bytesSent == 0)
  }

  @Test("a reply that resets makes the peer's read fail")
  func reset() throws {
    let server = try LoopbackServer { _ in .reset }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/")
    #expect(throws: RawClient.Failure.system("recv", ECONNRESET)) { try peer.readToEnd() }
    #expect(server.log.brokenOff == 1)
    #expect(server.log.openConnections == 0)
  }

  @Test("a held response is sent when its gate opens, and not before")
  func held() throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { request in
      request.path == "/held" ? .text("held").held(until: gate) : .text("free")
    }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/held")
    try server.waitUntil { $0.pending == 1 }
    #expect(try RawClient(server).response("GET", "/free").text == "free")
    #expect(server.log.answered == 1)
    gate.open()
    #expect(try peer.readResponse().text == "held")
    #expect(server.log.answered == 2)
  }

  @Test("a response that two gates hold waits for both")
  func heldTwice() throws {
    let first = LoopbackServer.Gate()
    let second = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .text("late").held(until: first).held(until: second) }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/")
    try server.waitUntil { $0.pending == 1 }
    // The server handles the gate before it stops.
    second.open()
    server.stop()
    #expect(server.log.answered == 0)
    #expect(server.log.brokenOff == 1)
    withExtendedLifetime(peer) {}
  }

  @Test("a delay beyond the range of the clock does not end")
  func endlessDelay() throws {
    let server = try LoopbackServer { _ in .text("late").delayed(by: .seconds(Int64.max)) }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/")
    try server.waitUntil { $0.pending == 1 }
    // The server handles timers that are due before it stops.
    server.stop()
    #expect(server.log.answered == 0)
    #expect(server.log.brokenOff == 1)
    withExtendedLifetime(peer) {}
  }

  @Test("a delay of months holds its response, and no other")
  func longDelay() throws {
    let server = try LoopbackServer { request in
      // More milliseconds than 32 bits hold.
      request.path == "/late" ? .text("late").delayed(by: .seconds(10_000_000)) : .text("now")
    }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/late")
    try server.waitUntil { $0.pending == 1 }
    #expect(try RawClient(server).response("GET", "/").text == "now")
    #expect(server.log.pending == 1)
    withExtendedLifetime(peer) {}
  }

  @Test("a negative delay is none", arguments: [Duration.seconds(-1), .milliseconds(-500)])
  func negativeDelay(delay: Duration) throws {
    let server = try LoopbackServer { _ in .text("now").delayed(by: delay) }
    #expect(try RawClient(server).response("GET", "/").text == "now")
  }

  @Test("events of TLS and of HTTP/2 do nothing on a connection without them")
  func eventsElsewhere() throws {
    let server = try LoopbackServer { _ in
      .text("abc").http2(.goAway(), before: .head).http2(.raw([0]), after: 1).tls(.keyUpdate, after: 2)
    }
    let peer = try RawClient(server)
    for _ in 0..<2 { #expect(try peer.response("GET", "/").text == "abc") }
  }

  @Test("a delayed response is sent after its delay, and others do not wait for it")
  func delayed() throws {
    let server = try LoopbackServer { request in
      request.path == "/slow" ? .text("slow").delayed(by: .milliseconds(50)) : .text("fast")
    }
    let slow = try RawClient(server)
    let start = ContinuousClock.now
    #expect(try slow.response("GET", "/slow").text == "slow")
    #expect(ContinuousClock.now - start >= .milliseconds(50))
  }

  @Test("pauses of a body apply in the order of their offsets")
  func pausesOutOfOrder() throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { request in
      request.path == "/held"
        ? .text("abcdef").bodyDelayed(by: .zero, after: 4).bodyHeld(until: gate, after: 2) : .text("ab")
    }
    let short = try RawClient(server).response("GET", "/")
    #expect(short.text == "ab")
    try server.waitUntil { $0.answered == 1 }
    let shortBytes = server.log.bytesSent
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/held")
    try server.waitUntil { $0.bytesSent >= 2 * shortBytes }
    // Both heads have the same length, because both lengths have one digit.
    #expect(server.log.bytesSent == 2 * shortBytes)
    gate.open()
    #expect(try peer.readResponse().text == "abcdef")
  }

  @Test("raw bytes are sent without a head or framing")
  func raw() throws {
    let server = try LoopbackServer { _ in .raw("garbage\0\r\n".utf8) }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/")
    #expect(try peer.readToEnd() == "garbage\0\r\n")
  }

  @Test("a truncated body ends after the given number of bytes")
  func truncated() throws {
    let server = try LoopbackServer { _ in .text("Half of this").truncated(after: 4) }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/")
    #expect(try peer.readHead().fields["content-length"] == "12")
    #expect(try peer.readToEnd() == "Half")
    #expect(server.log.brokenOff == 1)
    #expect(server.log.answered == 0)
  }

  @Test(
    "a response that is truncated after a negative number of bytes has none",
    arguments: [-1, Int.min])
  func truncatedBefore(count: Int) throws {
    let server = try LoopbackServer { _ in .text("body").truncated(after: count, of: .head) }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/")
    #expect(try peer.readToEnd() == "")
    #expect(server.log.brokenOff == 1)
  }

  @Test("a truncated response ends within the head, within a chunk, or with a reset, as requested")
  func truncatedElsewhere() throws {
    let server = try LoopbackServer()
    server.route("/head") { _ in .text("body").truncated(after: 12, of: .head) }
    server.route("/chunk") { _ in .text("abcdefgh").chunked(size: 5).truncated(after: 7) }
    server.route("/boundary") { _ in .text("abcdefgh").chunked(size: 5).truncated(after: 5) }
    server.route("/beyond") { _ in .text("abc").truncated(after: 100, of: .head) }
    func rawResponse(_ path: String) throws -> String {
      let peer = try RawClient(server)
      try peer.sendRequest("GET", path)
      return try peer.readToEnd()
    }
    #expect(try rawResponse("/head") == "HTTP/1.1 200")
    #expect(try rawResponse("/chunk").hasSuffix("\r\n\r\n5\r\nabcde\r\n3\r\nfg"))
    #expect(try rawResponse("/boundary").hasSuffix("\r\n\r\n5\r\nabcde\r\n"))
    #expect(try rawResponse("/beyond").hasSuffix("Content-Length: 3\r\n\r\n"))
    #expect(server.log.brokenOff == 4)
  }

  @Test("a reset can happen within the body")
  func resetInBody() throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in
      .text("abcdef").bodyHeld(until: gate, after: 3).truncated(after: 3, by: .reset)
    }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/")
    _ = try peer.readHead()
    #expect(try peer.read(3) == Array("abc".utf8))
    gate.open()
    #expect(throws: RawClient.Failure.system("recv", ECONNRESET)) { try peer.read(1) }
  }

  @Test(
    "a Content-Length that is too large closes the connection early; one that is too small leaves surplus bytes"
  )
  func wrongLength() throws {
    let server = try LoopbackServer { request in
      .text("abcdef").contentLength(request.path == "/large" ? 10 : 4)
    }
    let peer = try RawClient(server)
    #expect(try peer.response("GET", "/small").text == "abcd")
    #expect(try peer.read(2) == Array("ef".utf8))
    try peer.sendRequest("GET", "/large")
    #expect(try peer.readHead().fields["content-length"] == "10")
    #expect(try peer.readToEnd() == "abcdef")
  }

  @Test("a body is held after the given number of bytes, and its head is sent before")
  func bodyHeld() throws {
    let first = LoopbackServer.Gate()
    let second = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in
      .text("abcdef").chunked(size: 4).bodyHeld(until: second, after: 5).bodyHeld(until: first)
    }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/")
    #expect(try peer.readHead().status == 200)
    first.open()
    #expect(try peer.read(13) == Array("4\r\nabcd\r\n2\r\ne".utf8))
    #expect(server.log.answered == 0)
    second.open()
    #expect(try peer.readToEndOfChunks() == "f\r\n0\r\n\r\n")
    #expect(server.log.answered == 1)
  }

  @Test("a body can be held after its last byte", arguments: [3, 100])
  func endHeld(offset: Int) throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .text("abc").bodyHeld(until: gate, after: offset) }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/")
    #expect(try peer.readResponse().text == "abc")
    #expect(server.log.answered == 0)
    gate.open()
    try server.waitUntil { $0.answered == 1 }
  }

  @Test("a trickled body arrives in pieces with pauses between them", arguments: [false, true])
  func trickled(isChunked: Bool) throws {
    let server = try LoopbackServer { _ in
      let reply = LoopbackServer.Reply.text("abcdefgh").trickled(chunk: 3, every: .milliseconds(20))
      return isChunked ? reply.chunked() : reply
    }
    let start = ContinuousClock.now
    #expect(try RawClient(server).response("GET", "/").text == "abcdefgh")
    // There are two pauses between three pieces. More time than that is no error.
    #expect(ContinuousClock.now - start >= .milliseconds(40))
  }

  @Test("without a size, the chunks of a trickled body are its pieces")
  func trickledChunks() throws {
    let server = try LoopbackServer { _ in .text("abcdefgh").trickled(chunk: 3, every: .zero).chunked() }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/")
    _ = try peer.readHead()
    for piece in ["abc", "def", "gh"] { #expect(try peer.readChunk() == Array(piece.utf8)) }
  }

  @Test("a delayed body arrives after its head")
  func bodyDelayed() throws {
    let server = try LoopbackServer { _ in .text("abc").bodyDelayed(by: .milliseconds(30)) }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/")
    _ = try peer.readHead()
    #expect(server.log.answered == 0)
    #expect(try peer.read(3) == Array("abc".utf8))
  }

  @Test("raw bytes can leave the connection open, and be held and trickled like a body")
  func rawStaysOpen() throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { request in
      request.path == "/raw"
        ? .raw("HTTP/1.1 204 \r\n\r\n".utf8, closing: false).bodyHeld(until: gate, after: 4) : .text("next")
    }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/raw")
    #expect(try peer.read(4) == Array("HTTP".utf8))
    gate.open()
    #expect(try peer.readLine() == "/1.1 204 ")
    #expect(try peer.readLine() == "")
    #expect(try peer.response("GET", "/").text == "next")
    #expect(server.log.answered == 2)
  }

  @Test("one gate releases any number of responses of several servers")
  func sharedGate() throws {
    let gate = LoopbackServer.Gate()
    #expect(!gate.isOpen)
    let servers = try (0..<3).map { _ in try LoopbackServer { .text($0.path).held(until: gate) } }
    defer { for server in servers { server.stop() } }
    let peers = try servers.flatMap { server in try (0..<20).map { _ in try RawClient(server) } }
    for peer in peers { try peer.sendRequest("GET", "/x") }
    for server in servers { try server.waitUntil { $0.pending == 20 } }
    gate.open()
    gate.open()
    #expect(gate.isOpen)
    for peer in peers { #expect(try peer.readResponse().text == "/x") }
  }

  @Test("short delays end while long ones continue, in whatever order they began")
  func manyDelays() throws {
    let server = try LoopbackServer { request in
      .text("x").delayed(by: .milliseconds(Int(request.query("ms") ?? "") ?? 0))
    }
    let peers = try (0..<200).map { number in
      let peer = try RawClient(server)
      let isLong = number * 7 % 10 < 5
      try peer.sendRequest("GET", "/?ms=\(isLong ? 3_600_000 - number : number * 13 % 50)")
      return (peer, isLong)
    }
    for (peer, isLong) in peers where !isLong { #expect(try peer.readResponse().text == "x") }
    #expect(server.log.answered == 100)
    try server.waitUntil { $0.pending == 100 }
    server.stop()
    #expect(server.log.brokenOff == 100)
    withExtendedLifetime(peers) {}
  }
}
