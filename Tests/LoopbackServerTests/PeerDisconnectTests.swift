import LoopbackServer
import Testing

@Suite("Peers that disconnect", .timeLimit(.minutes(5)))
struct PeerDisconnectTests {
  @Test("a peer that closes while the response is held is logged as abandoned")
  func closesWhileHeld() throws {
    let server = try LoopbackServer { _ in .never }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/held")
    try server.waitUntil { $0.pending == 1 }
    #expect(server.log.abandoned.isEmpty)
    peer.disconnect()
    let log = try server.waitUntil { $0.abandoned.count == 1 && $0.openConnections == 0 }
    #expect(log.abandoned.first?.request.target == "/held")
    #expect(log.abandoned.first?.phase == .waiting)
    #expect(log.abandoned.first?.bytesSent == 0)
    #expect(log.pending == 0)
    #expect(log.answered == 0)
  }

  @Test("a peer that resets while the response is delayed is logged as abandoned")
  func resetsWhileDelayed() throws {
    let server = try LoopbackServer { _ in .text("late").delayed(by: .seconds(3600)) }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/delayed")
    try server.waitUntil { $0.pending == 1 }
    peer.disconnect(reset: true)
    let log = try server.waitUntil { $0.abandoned.count == 1 }
    #expect(log.abandoned.first?.phase == .waiting)
  }

  @Test("a peer that closes within the body is logged with the bytes sent so far")
  func closesWithinBody() throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .text("abcdef").bodyHeld(until: gate, after: 3) }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/")
    let head = try peer.readHead()
    #expect(head.fields["content-length"] == "6")
    #expect(try peer.read(3) == Array("abc".utf8))
    peer.disconnect()
    let log = try server.waitUntil { $0.abandoned.count == 1 }
    #expect(log.abandoned.first?.phase == .sending)
    #expect(log.abandoned.first?.bytesSent == log.bytesSent)
    #expect(log.bytesSent > 3)
  }

  @Test("a peer that stops reading a large body and closes is logged as abandoned")
  func closesUnderBackPressure() throws {
    var options = LoopbackServer.Options()
    options.sendBufferSize = 16_384
    let server = try LoopbackServer(options: options) { _ in .repeating(0x61, count: 1 << 30) }
    let peer = try RawClient(server, receiveBuffer: 16_384)
    try peer.sendRequest("GET", "/")
    #expect(try peer.readHead().fields["content-length"] == "1073741824")
    peer.disconnect()
    let log = try server.waitUntil { $0.abandoned.count == 1 }
    #expect(log.abandoned.first?.phase == .sending)
    #expect(log.bytesSent < 1 << 30)
  }

  @Test("a peer that closes within an upload is logged with the part received")
  func closesWithinUpload() throws {
    let server = try LoopbackServer { _ in .status(200) }
    let peer = try RawClient(server)
    try peer.write("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
    try server.waitUntil { $0.bytesReceived > 50 }
    peer.disconnect()
    let log = try server.waitUntil { $0.abandoned.count == 1 }
    #expect(log.abandoned.first?.phase == .receiving)
    #expect(log.abandoned.first?.request.text == "abc")
    #expect(log.requests.isEmpty)
  }

  @Test("a peer that closes after a complete response has not abandoned it")
  func closesAfterwards() throws {
    let server = try LoopbackServer { _ in .text("done") }
    let peer = try RawClient(server)
    #expect(try peer.response("GET", "/").text == "done")
    #expect(server.log.answered == 1)
    peer.disconnect()
    let log = try server.waitUntil { $0.openConnections == 0 }
    #expect(log.abandoned.isEmpty)
  }

  @Test("a gate that opens after its peer has disconnected has no effect")
  func gateOutlivesPeer() throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .text("late").held(until: gate) }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/")
    try server.waitUntil { $0.pending == 1 }
    peer.disconnect()
    try server.waitUntil { $0.abandoned.count == 1 }
    gate.open()
    #expect(try RawClient(server).response("GET", "/").text == "late")
    #expect(server.log.answered == 1)
  }

  @Test("a client that sends nothing more gets the response that it waits for, if the server is told so")
  func halfClosed() throws {
    var options = LoopbackServer.Options()
    options.answersHalfClosedClients = true
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer(options: options) { _ in .text("late").held(until: gate) }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/")
    try peer.endSending()
    let other = try RawClient(server)
    try other.sendRequest("GET", "/")
    try server.waitUntil { $0.pending == 2 }
    #expect(server.log.abandoned.isEmpty)
    gate.open()
    #expect(try peer.readToEnd().hasSuffix("late"))
    #expect(try other.readResponse().text == "late")
    let log = try server.waitUntil { $0.openConnections == 1 }
    #expect(log.answered == 2)
    #expect(log.abandoned.isEmpty)
  }

  @Test("a client that resets after it has sent everything is abandoned")
  func halfClosedAndReset() throws {
    var options = LoopbackServer.Options()
    options.answersHalfClosedClients = true
    let server = try LoopbackServer(options: options) { _ in .never }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/")
    try peer.endSending()
    try server.waitUntil { $0.pending == 1 }
    peer.disconnect(reset: true)
    try server.waitUntil { $0.abandoned.count == 1 && $0.openConnections == 0 }
  }

  @Test("five thousand held connections are open at once, and each abandonment is noticed")
  func manyHeld() throws {
    var options = LoopbackServer.Options()
    options.raisesDescriptorLimit = true
    let server = try LoopbackServer(options: options) { _ in .never }
    let peers = try (0..<5_000).map { _ in
      let peer = try RawClient(server)
      try peer.sendRequest("GET", "/")
      return peer
    }
    try server.waitUntil { $0.pending == 5_000 && $0.openConnections == 5_000 }
    for peer in peers { peer.disconnect() }
    let log = try server.waitUntil { $0.abandoned.count == 5_000 }
    #expect(log.openConnections == 0)
    #expect(log.peakConnections == 5_000)
  }
}
