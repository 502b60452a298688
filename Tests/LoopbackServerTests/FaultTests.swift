#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
import LoopbackServer
import Testing

@Suite("Faults on demand")
struct FaultTests {
  @Test("a reply that closes ends the connection without a byte")
  func close() throws {
    let server = try LoopbackServer { _ in .close }
    let peer = try Peer(server)
    try peer.ask("GET", "/")
    #expect(try peer.readToEnd() == "")
    #expect(server.log.brokenOff == 1)
    #expect(server.log.bytesSent == 0)
  }

  @Test("a reply that resets makes the peer's read fail")
  func reset() throws {
    let server = try LoopbackServer { _ in .reset }
    let peer = try Peer(server)
    try peer.ask("GET", "/")
    #expect(throws: Peer.Failure.system("recv", ECONNRESET)) { try peer.readToEnd() }
    #expect(server.log.brokenOff == 1)
    #expect(server.log.openConnections == 0)
  }

  @Test("a held answer comes when its gate opens, and not before")
  func held() throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { request in
      request.path == "/held" ? .text("held").held(until: gate) : .text("free")
    }
    let peer = try Peer(server)
    try peer.ask("GET", "/held")
    try server.waitUntil { $0.pending == 1 }
    #expect(try Peer(server).answer("GET", "/free").text == "free")
    #expect(server.log.answered == 1)
    gate.open()
    #expect(try peer.readAnswer().text == "held")
    #expect(server.log.answered == 2)
  }

  @Test("a delayed answer comes, and others do not wait for it")
  func delayed() throws {
    let server = try LoopbackServer { request in
      request.path == "/slow" ? .text("slow").delayed(by: .milliseconds(50)) : .text("fast")
    }
    let slow = try Peer(server)
    let start = ContinuousClock.now
    #expect(try slow.answer("GET", "/slow").text == "slow")
    #expect(ContinuousClock.now - start >= .milliseconds(50))
  }

  @Test("raw bytes are all that is sent")
  func raw() throws {
    let server = try LoopbackServer { _ in .raw("garbage\0\r\n".utf8) }
    let peer = try Peer(server)
    try peer.ask("GET", "/")
    #expect(try peer.readToEnd() == "garbage\0\r\n")
  }

  @Test("a body that is cut off ends after the bytes asked for")
  func truncated() throws {
    let server = try LoopbackServer { _ in .text("Half of this").truncated(after: 4) }
    let peer = try Peer(server)
    try peer.ask("GET", "/")
    #expect(try peer.readHead().fields["content-length"] == "12")
    #expect(try peer.readToEnd() == "Half")
    #expect(server.log.brokenOff == 1)
    #expect(server.log.answered == 0)
  }
}
