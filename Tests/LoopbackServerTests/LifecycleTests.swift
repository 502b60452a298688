#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif
import Foundation
import LoopbackServer
import Testing

@Suite("Starting and stopping", .timeLimit(.minutes(5)))
struct LifecycleTests {
  @Test("the URL names the port")
  func address() throws {
    let server = try LoopbackServer()
    #expect(server.port != 0)
    #expect(server.origin == "http://127.0.0.1:\(server.port)")
    #expect(server.baseURL.absoluteString == server.origin)
  }

  @Test("a stopped server refuses connections and has ended the open ones")
  func stops() throws {
    let server = try LoopbackServer { _ in .never }
    let peer = try Peer(server)
    try peer.ask("GET", "/")
    try server.waitUntil { $0.pending == 1 }
    server.stop()
    server.stop()
    #expect(try peer.readToEnd() == "")
    #expect(throws: Peer.Failure.system("connect", ECONNREFUSED)) { try Peer(server) }
  }

  @Test("a released server stops, and lets go of its handlers")
  func released() throws {
    weak var tracked: Tracked?
    var peer: Peer?
    do {
      let object = Tracked()
      tracked = object
      let server = try LoopbackServer { _ in withExtendedLifetime(object) { .never } }
      server.route("/route") { _ in withExtendedLifetime(object) { .never } }
      peer = try Peer(server)
      try peer?.ask("GET", "/route")
      try server.waitUntil { $0.pending == 1 }
      #expect(tracked != nil)
    }
    #expect(try peer?.readToEnd() == "")
    #expect(tracked == nil)
  }

  @Test("a handler may stop its server")
  func stopsFromHandler() throws {
    let server = try LoopbackServer()
    server.route("/stop") { [weak server] _ in
      server?.stop()
      return .text("never sent").held(until: .init())
    }
    let peer = try Peer(server)
    try peer.ask("GET", "/stop")
    #expect(try peer.readToEnd() == "")
  }

  @Test("several threads may stop a server")
  func stopsFromManyThreads() async throws {
    let server = try LoopbackServer()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { server.stop() } }
    }
    #expect(throws: LoopbackServer.WaitError.self) { try server.waitUntil { _ in false } }
  }

  @Test("a port in use is refused with the call that failed")
  func portInUse() throws {
    let server = try LoopbackServer()
    let error = #expect(throws: LoopbackServer.SystemError.self) { try LoopbackServer(port: server.port) }
    #expect(error?.code == EADDRINUSE)
    #expect(error?.description.contains("(\(EADDRINUSE))") == true)
  }

  @Test("a stopped server's port can be taken again")
  func portAgain() throws {
    let first = try LoopbackServer { _ in .text("first") }
    let peer = try Peer(first)
    #expect(try peer.answer("GET", "/").text == "first")
    first.stop()
    let second = try LoopbackServer(port: first.port) { _ in .text("second") }
    #expect(try Peer(second).answer("GET", "/").text == "second")
  }

  @Test("servers come and go a hundred times")
  func manyServers() throws {
    for number in 0..<100 {
      let server = try LoopbackServer { _ in .text("\(number)") }
      #expect(try Peer(server).answer("GET", "/").text == "\(number)")
    }
  }

  private final class Tracked: Sendable {}
}
