#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif
import Foundation
import LoopbackServer
import Testing

#if canImport(Darwin)
  private let descriptorLimit = RLIMIT_NOFILE
#else
  private let descriptorLimit = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#endif

@Suite("Starting and stopping", .timeLimit(.minutes(5)))
struct LifecycleTests {
  @Test("the URL names the port")
  func address() throws {
    let server = try LoopbackServer()
    #expect(server.port != 0)
    #expect(server.origin == "http://127.0.0.1:\(server.port)")
    #expect(server.baseURL.absoluteString == server.origin)
  }

  @Test("a stopped server refuses connections and has closed the open ones")
  func stops() throws {
    let server = try LoopbackServer { _ in .never }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/")
    try server.waitUntil { $0.pending == 1 }
    server.stop()
    server.stop()
    #expect(try peer.readToEnd() == "")
    #expect(throws: RawClient.Failure.system("connect", ECONNREFUSED)) { try RawClient(server) }
  }

  @Test("a released server stops and releases its handlers")
  func released() throws {
    weak var tracked: TrackedObject?
    var peer: RawClient?
    do {
      let object = TrackedObject()
      tracked = object
      let server = try LoopbackServer { _ in withExtendedLifetime(object) { .never } }
      server.route("/route") { _ in withExtendedLifetime(object) { .never } }
      peer = try RawClient(server)
      try peer?.sendRequest("GET", "/route")
      try server.waitUntil { $0.pending == 1 }
      #expect(tracked != nil)
    }
    #expect(try peer?.readToEnd() == "")
    #expect(tracked == nil)
  }

  @Test("a handler can stop its server")
  func stopsFromHandler() throws {
    let server = try LoopbackServer()
    server.route("/stop") { [weak server] _ in
      server?.stop()
      return .text("never sent").held(until: .init())
    }
    let peer = try RawClient(server)
    try peer.sendRequest("GET", "/stop")
    #expect(try peer.readToEnd() == "")
  }

  @Test("several threads can stop a server")
  func stopsFromManyThreads() async throws {
    let server = try LoopbackServer()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { server.stop() } }
    }
    #expect(throws: LoopbackServer.WaitError.self) { try server.waitUntil { _ in false } }
  }

  @Test("a port in use fails with the failing system call")
  func portInUse() throws {
    let server = try LoopbackServer()
    let error = #expect(throws: LoopbackServer.SystemError.self) { try LoopbackServer(port: server.port) }
    #expect(error?.code == EADDRINUSE)
    #expect(error?.description.contains("(\(EADDRINUSE))") == true)
  }

  @Test("the port of a stopped server can be reused")
  func portAgain() throws {
    let first = try LoopbackServer { _ in .text("first") }
    let peer = try RawClient(first)
    #expect(try peer.response("GET", "/").text == "first")
    first.stop()
    let second = try LoopbackServer(port: first.port) { _ in .text("second") }
    #expect(try RawClient(second).response("GET", "/").text == "second")
  }

  @Test("a hundred servers start and stop one after another")
  func manyServers() throws {
    for number in 0..<100 {
      let server = try LoopbackServer { _ in .text("\(number)") }
      #expect(try RawClient(server).response("GET", "/").text == "\(number)")
    }
  }

  @Test("a server that ran out of descriptors accepts connections again when one is free")
  func exhaustion() async {
    // In a separate process, so that no other test needs its descriptors.
    await #expect(processExitsWith: .success) {
      let server = try LoopbackServer { _ in .text("served") }
      var limit = rlimit()
      getrlimit(descriptorLimit, &limit)
      limit.rlim_cur = 256
      setrlimit(descriptorLimit, &limit)
      let first = try RawClient(server)
      #expect(try first.response("GET", "/").text == "served")
      var spare: [CInt] = []
      while case let descriptor = dup(0), descriptor >= 0 { spare.append(descriptor) }
      close(spare.removeLast())
      let second = try RawClient(server)
      try second.sendRequest("GET", "/")
      // By the end of the second exchange the server has tried to accept the second connection.
      for _ in 0..<2 { #expect(try first.response("GET", "/").text == "served") }
      #expect(server.log.connectionsAccepted == 1)
      for descriptor in spare { close(descriptor) }
      try await server.log { $0.connectionsAccepted == 2 }
      #expect(try second.readResponse().text == "served")
      server.stop()
    }
  }

  private final class TrackedObject: Sendable {}
}
