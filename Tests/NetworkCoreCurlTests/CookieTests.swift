import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Cookies", .timeLimit(.minutes(5)))
struct CookieTests {
  private let server: LoopbackServer
  private let gate = LoopbackServer.Gate()

  init() throws {
    server = try LoopbackServer { [gate] request in
      let reply = LoopbackServer.Reply.text(request.headers["Cookie"] ?? "none")
      if request.path == "/held" { return reply.held(until: gate) }
      if let page = request.query("page") {
        return (0..<50).reduce(reply) { $0.header("Set-Cookie", "\(page).\($1)=\($1); Max-Age=3600") }
      }
      return request.path == "/set"
        ? reply.header("Set-Cookie", "a=1; Path=/; Max-Age=3600").header("X", "y") : reply
    }
  }

  private func transport(_ cookies: CurlConfiguration.CookieStorage) throws -> CurlTransport {
    var configuration = CurlConfiguration()
    configuration.cookies = cookies
    return try CurlTransport(configuration: configuration)
  }

  private func cookies(_ transport: CurlTransport, _ path: String = "/") async -> String {
    String(decoding: await transport.exchange(.init(url: server.origin + path)).body, as: UTF8.self)
  }

  @Test("no cookies are kept by default")
  func off() async throws {
    let transport = try CurlTransport()
    #expect(await cookies(transport, "/set") == "none")
    #expect(await cookies(transport) == "none")
  }

  @Test(
    "a jar in memory serves all requests of its transport, also concurrent ones, and no other transport")
  func memory() async throws {
    let transport = try transport(.memory)
    #expect(await cookies(transport, "/set") == "none")
    await withTaskGroup(of: String.self) { group in
      for _ in 0..<8 { group.addTask { await cookies(transport, "/held") } }
      _ = try? await server.log(until: { $0.pending == 8 })
      gate.open()
      for await seen in group { #expect(seen == "a=1") }
    }
    #expect(await cookies(try self.transport(.memory)) == "none")
    let elsewhere = await transport.exchange(.init(url: "http://localhost:\(server.port)/"))
    #expect(elsewhere.body == Data("none".utf8))
  }

  @Test("a request with cookies disabled sends none from the jar and adds none to it")
  func without() async throws {
    let transport = try transport(.memory)
    var request = TransportRequest(url: "\(server.origin)/set")
    request.handlesCookies = false
    #expect(await transport.exchange(request).body == Data("none".utf8))
    #expect(await cookies(transport, "/set") == "none")
    #expect(await transport.exchange(request).body == Data("none".utf8))
    request.headers.add(HTTPHeader(name: "Cookie", value: "own=2"))
    #expect(await transport.exchange(request).body == Data("own=2".utf8))
    #expect(await cookies(transport) == "a=1")
    request.headers = [:]
    #expect(await transport.exchange(request).body == Data("none".utf8))
  }

  @Test("a request's own cookies follow those of the jar in one field, and no other request sends them")
  func own() async throws {
    let transport = try transport(.memory)
    _ = await cookies(transport, "/set")
    let request = TransportRequest(url: "\(server.origin)/", headers: ["Cookie": "own=2", "X": "y"])
    let response = await transport.exchange(request)
    #expect(String(decoding: response.body, as: UTF8.self) == "a=1; own=2")
    #expect(await cookies(transport) == "a=1")
    let plain = await (try CurlTransport()).exchange(request)
    #expect(String(decoding: plain.body, as: UTF8.self) == "own=2")
  }

  @Test("a jar in a file outlives its transport and is readable only by its user; a folder is rejected")
  func file() async throws {
    // The last jar is written when its transport is released, possibly after the test, when the folder no
    // longer exists.
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.file("jar").path
    var first: CurlTransport? = try transport(.file(path))
    #expect(await first.map { await cookies($0, "/set") } == "none")
    // A waiting request ends only after the file has been written.
    let waiting = TransferRecorder()
    let log = Log()
    let transfer = first?.start(.init(url: "\(server.origin)/held")) { event in
      if case .finished = event { log((try? String(contentsOfFile: path, encoding: .utf8)) ?? "nothing") }
      waiting.record(event)
    }
    first = nil
    #expect(await waiting.waitForEnd().error == .cancelled)
    withExtendedLifetime(transfer) {}
    #expect(log.all.count == 1)
    #expect(log.all[0].contains("127.0.0.1"))
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(await cookies(try transport(.file(path))) == "a=1")
    #expect(throws: CurlConfigurationError.unwritableFile(path: "/no/such/directory/cookies")) {
      try transport(.file("/no/such/directory/cookies"))
    }
    #expect(throws: CurlConfigurationError.unwritableFile(path: "/tmp")) { try transport(.file("/tmp")) }
  }

  @Test("if a server sets endless cookies, the newest are kept, and those of another host are not affected")
  func limit() async throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.file("jar").path
    let other = TransportRequest(url: "http://localhost:\(server.port)/set")
    var transport: CurlTransport? = try transport(.file(path))
    _ = await transport?.exchange(other)
    for page in 0..<72 { _ = await transport?.exchange(.init(url: "\(server.origin)/?page=\(page)")) }
    #expect(await transport?.exchange(other).body == Data("a=1".utf8))

    let waiting = TransferRecorder()
    let transfer = transport?.start(.init(url: "\(server.origin)/held"), handler: waiting.record)
    transport = nil
    #expect(await waiting.waitForEnd().error == .cancelled)
    withExtendedLifetime(transfer) {}
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let columns = lines.map { $0.split(separator: "\t") }
    let names: [String] = columns.filter { $0.count == 7 }.map { String($0[5]) }
    #expect((2_700...3_300).contains(names.count))
    #expect(names.contains("a"))
    let newest: [String] = (22..<72).flatMap { page in (0..<50).map { "\(page).\($0)" } }
    #expect(Set(newest).isSubset(of: names))
  }
}

extension Optional {
  fileprivate func map<Result>(_ body: (Wrapped) async -> Result) async -> Result? {
    switch self {
    case .some(let value): await body(value)
    case .none: nil
    }
  }
}
