import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Stored responses and the fields that a transport adds", .timeLimit(.minutes(5)))
struct AddedCredentialsTests {
  @Test("a credential of the transport below a session keeps its responses out of the store")
  func credential() async throws {
    let server = try LoopbackServer {
      .text($0.headers["Authorization"] ?? "none").header("Cache-Control", "max-age=60")
    }
    var configuration = CurlConfiguration()
    configuration.credentials[server.origin] = .bearer(token: "t")
    let session = Session(transport: try CurlTransport(configuration: configuration))
    let transport = CachingTransport(session, cache: try HTTPCache())
    var request = TransportRequest(url: server.origin)
    #expect(await transport.exchange(request).body == Data("Bearer t".utf8))
    request.cachePolicy = .storedOnly
    #expect(await transport.exchange(request).error == .notStored(url: server.origin))
  }

  @Test("disabled cookies, and a credential overridden by the request, do not affect the stored response")
  func without() async throws {
    let server = try LoopbackServer { request in
      .text("\(request.headers["Cookie"] ?? "-") \(request.headers["Authorization"] ?? "-")")
        .header("Vary", "Cookie").header("Cache-Control", "max-age=60")
    }
    var configuration = CurlConfiguration()
    configuration.cookies = .memory
    configuration.credentials[server.origin] = .bearer(token: "t")
    let transport = CachingTransport(
      try CurlTransport(configuration: configuration), cache: try HTTPCache())
    var request = TransportRequest(url: server.origin, headers: ["Authorization": "mine"])
    request.handlesCookies = false
    for _ in 0..<2 { #expect(await transport.exchange(request).body == Data("- mine".utf8)) }
    #expect(server.log.requestCount == 1)
  }

  /// Handles all requests to `mock.test`.
  private final class MockURLProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "mock.test" }
  }

  @Test("the cookies of a session with a URLProtocol select its stored responses")
  func cookies() async throws {
    let server = try LoopbackServer { request in
      guard request.path == "/me" else {
        return .status(204).header("Set-Cookie", "user=\(request.path.dropFirst()); Path=/")
      }
      return .text(request.headers["Cookie"] ?? "nobody").header("Vary", "Cookie")
        .header("Cache-Control", "max-age=60")
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
    configuration.protocolClasses = [MockURLProtocol.self]
    let session = Session(configuration: configuration)
    for user in ["ash", "misty"] {
      #expect(await session.exchange(.init(url: "\(server.origin)/\(user)")).error == nil)
      #expect(await session.exchange(.init(url: "\(server.origin)/me")).body == Data("user=\(user)".utf8))
    }
  }

  @Test("a response for the languages of one transport is not used for another with other languages")
  func languages() async throws {
    let cache = try HTTPCache()
    var answers: [String] = []
    for language in ["de", "en", "de"] {
      let below = ScriptedTransport(defaultHeaders: ["Accept-Language": language]) {
        $0.respond(200, headers: ["Cache-Control": "max-age=60", "Vary": "Accept-Language"], language)
      }
      let body = await CachingTransport(below, cache: cache).exchange(.init(url: "http://h/")).body
      answers.append(String(decoding: body, as: UTF8.self) + " \(below.transfers.count)")
    }
    #expect(answers == ["de 1", "en 1", "de 0"])
  }

  @Test("a replay adds nothing, so that its responses are stored")
  func replay() async throws {
    let folder = try TemporaryFolder()
    let wire = ScriptedTransport { $0.respond(headers: ["Cache-Control": "max-age=60"]) }
    let request = TransportRequest(url: "http://h/")
    #expect(await (try RecordingTransport(wire, folder: folder.url)).exchange(request).error == nil)
    let replay = try ReplayTransport(folder: folder.url)
    #expect(replay.addedCredentials(to: request) == [])
    let transport = CachingTransport(replay, cache: try HTTPCache())
    for isStored in [false, true] {
      let events = await transport.exchange(request)
      #expect(events.error == nil)
      #expect((events.head?.headers["Age"] != nil) == isStored)
    }
  }

  @Test("plugins see the fields of the transport below the cache")
  func defaultHeaders() throws {
    let below = ScriptedTransport(defaultHeaders: ["X": "y"])
    #expect(CachingTransport(below, cache: try HTTPCache()).defaultHeaders == ["X": "y"])
  }
}
