import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

@Suite("A cache that the transports of several users share", .timeLimit(.minutes(5)))
struct SharedCacheTests {
  /// A layer that adds a token to the requests of one user, or of one user after another.
  private final class TokenLayer: TransportLayer {
    let wrapped: any Transport
    let token: Lock<String>

    init(wrapped: any Transport, token: String) {
      self.wrapped = wrapped
      self.token = Lock(token)
    }

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      var request = request
      request.headers.update(name: "Authorization", value: "Bearer \(token.withLock { $0 })")
      return wrapped.start(request, handler: handler)
    }
  }

  /// A layer that changes nothing, and states that.
  private struct PlainLayer: TransportLayer {
    let wrapped: any Transport

    func addedCredentials(to request: TransportRequest) -> AddedCredentials {
      wrapped.addedCredentials(to: request)
    }

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      wrapped.start(request, handler: handler)
    }
  }

  /// A transport of an application, which states nothing; it may send another request than the one it gets.
  private final class Wrapper: Transport {
    let inner: any Transport
    let token: Lock<String?>

    init(inner: any Transport, token: String? = nil) {
      self.inner = inner
      self.token = Lock(token)
    }

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      guard let token = token.withLock({ $0 }) else { return inner.start(request, handler: handler) }
      return inner.start(
        TransportRequest(url: request.url, headers: ["Authorization": "Bearer \(token)"]), handler: handler)
    }
  }

  private func curl(_ user: String? = nil, at server: LoopbackServer) throws -> CurlTransport {
    var configuration = CurlConfiguration()
    configuration.credentials[server.origin] = user.map { .bearer(token: $0) }
    return try CurlTransport(configuration: configuration)
  }

  private func greeter() throws -> LoopbackServer {
    try LoopbackServer {
      .text($0.headers["Authorization"] ?? "nobody").header("Cache-Control", "max-age=60")
        .header("ETag", "\"1\"")
    }
  }

  enum Stack: CaseIterable {
    case curl, recording, chaos, policies, session, layer, wrapper, cache, token, rebuilding, urlSession
  }

  private func stack(
    _ kind: Stack, _ user: String, _ server: LoopbackServer, _ folder: URL
  ) throws -> any Transport {
    let curl = try curl(user, at: server)
    return switch kind {
    case .curl: curl
    case .recording: try RecordingTransport(curl, folder: folder.appendingPathComponent("\(UUID())"))
    case .chaos: ChaosTransport(curl, plan: ChaosPlan(seed: 1))
    case .policies:
      curl.limitConcurrency(ConcurrencyLimit(3)).hedged(
        HedgePolicy(after: .fixed(.seconds(60)), budget: RetryBudget(ratio: 0.1))
      )
      .circuitBreaker(CircuitBreaker(opensAt: .consecutiveFailures(9)))
    case .session: Session(transport: curl)
    case .layer: PlainLayer(wrapped: PlainLayer(wrapped: curl))
    case .wrapper: Wrapper(inner: curl)
    case .cache: CachingTransport(curl, cache: try HTTPCache())
    case .token: TokenLayer(wrapped: try self.curl(at: server), token: user)
    case .rebuilding: Wrapper(inner: try self.curl(at: server), token: user)
    case .urlSession: TokenLayer(wrapped: URLSessionTransport(), token: user)
    }
  }

  @Test(
    "no user gets another user's response, whatever is between the cache and the credential",
    arguments: Stack.allCases)
  func users(kind: Stack) async throws {
    let server = try greeter()
    let folder = try TemporaryFolder()
    let cache = try HTTPCache(directory: folder.url.appendingPathComponent("cache"))
    for user in ["ash", "misty", "ash"] {
      let below = try stack(kind, user, server, folder.url.appendingPathComponent(user))
      let transport = CachingTransport(below, cache: cache)
      for policy: TransportRequest.CachePolicy in [.useProtocol, .revalidate, .storedElseLoad] {
        var request = TransportRequest(url: server.origin)
        request.cachePolicy = policy
        #expect(await transport.exchange(request).body == Data("Bearer \(user)".utf8))
      }
    }
    let anonymous = CachingTransport(try curl(at: server), cache: cache)
    #expect(await anonymous.exchange(.init(url: server.origin)).body == Data("nobody".utf8))
  }

  @Test("a stored redirect serves only transports that do not follow redirects")
  func redirects() async throws {
    let server = try LoopbackServer { _ in .text("target").header("Cache-Control", "max-age=60") }
    server.route("GET", "/old") { _ in
      .redirect(to: "/new", status: 301).header("Cache-Control", "max-age=60")
    }
    var configuration = CurlConfiguration()
    configuration.redirects = .doNotFollow
    let cache = try HTTPCache()
    let declining = CachingTransport(try CurlTransport(configuration: configuration), cache: cache)
    let following = CachingTransport(try CurlTransport(), cache: cache)
    let request = TransportRequest(url: server.origin + "/old")
    #expect(await declining.exchange(request).status == 301)
    for _ in 0..<2 {
      let events = await following.exchange(request)
      #expect(events.status == 200)
      #expect(events.body == Data("target".utf8))
      #expect(events.head?.url == server.origin + "/new")
    }
    let count = server.log.requestCount
    let again = await declining.exchange(request)
    #expect(again.status == 301)
    #expect(again.head?.headers["Location"] == "/new")
    #expect(server.log.requestCount == count)
    // What happens above the cache does not matter: this one follows a redirect that comes from the cache.
    let session = Session(transport: declining, redirectHandler: .modify { _, request, _ in request })
    #expect(await session.exchange(request).body == Data("target".utf8))
    #expect(server.log.requestCount == count + 1)
  }

  @Test("a layer whose token changes stores nothing, also below another cache")
  func changingToken() async throws {
    let server = try greeter()
    let layer = TokenLayer(wrapped: try curl(at: server), token: "")
    let inner = CachingTransport(layer, cache: try HTTPCache())
    let transport = CachingTransport(inner, cache: try HTTPCache())
    for user in ["ash", "misty"] {
      layer.token.withLock { $0 = user }
      #expect(await transport.exchange(.init(url: server.origin)).body == Data("Bearer \(user)".utf8))
    }
  }

  @Test("a response without a credential is neither replaced nor renewed by a request with one")
  func untouched() async throws {
    let server = try greeter()
    let cache = try HTTPCache()
    let anonymous = CachingTransport(try curl(at: server), cache: cache)
    #expect(await anonymous.exchange(.init(url: server.origin)).body == Data("nobody".utf8))
    let layer = TokenLayer(wrapped: try curl(at: server), token: "ash")
    var request = TransportRequest(url: server.origin)
    request.cachePolicy = .reload
    let reloaded = await CachingTransport(layer, cache: cache).exchange(request)
    #expect(reloaded.body == Data("Bearer ash".utf8))
    request.cachePolicy = .storedOnly
    #expect(await anonymous.exchange(request).body == Data("nobody".utf8))
  }

  @Test("cookies below a layer keep the responses that depend on them out of the cache")
  func cookies() async throws {
    let server = try LoopbackServer { request in
      guard request.path == "/me" else {
        return .status(204).header("Set-Cookie", "user=\(request.path.dropFirst()); Path=/")
      }
      return .text(request.headers["Cookie"] ?? "nobody").header("Vary", "Cookie")
        .header("Cache-Control", "max-age=60")
    }
    var configuration = CurlConfiguration()
    configuration.cookies = .memory
    let curl = try CurlTransport(configuration: configuration)
    for below: any Transport in [PlainLayer(wrapped: curl), Wrapper(inner: curl)] {
      let transport = CachingTransport(below, cache: try HTTPCache())
      for user in ["ash", "misty"] {
        _ = await transport.exchange(.init(url: "\(server.origin)/\(user)"))
        let body = await transport.exchange(.init(url: "\(server.origin)/me")).body
        #expect(body == Data("user=\(user)".utf8))
      }
    }
  }

  @Test("a private response is not stored over a transport that keeps cookies")
  func privateResponses() async throws {
    let server = try LoopbackServer { request in
      guard request.path == "/me" else {
        return .status(204).header("Set-Cookie", "user=\(request.path.dropFirst()); Path=/")
      }
      return .text(request.headers["Cookie"] ?? "nobody").header("Cache-Control", "private, max-age=60")
    }
    var configuration = CurlConfiguration()
    configuration.cookies = .memory
    let cache = try HTTPCache()
    for user in ["ash", "misty"] {
      let transport = CachingTransport(try CurlTransport(configuration: configuration), cache: cache)
      _ = await transport.exchange(.init(url: "\(server.origin)/\(user)"))
      let body = await transport.exchange(.init(url: "\(server.origin)/me")).body
      #expect(body == Data("user=\(user)".utf8))
    }
  }

  @Test("a response to a request with cookies is not used for one with other cookies")
  func cookieFields() async throws {
    let server = try LoopbackServer { request in
      .text(request.headers["Cookie"] ?? "nobody").header("Cache-Control", "max-age=60")
    }
    let transport = CachingTransport(try CurlTransport(), cache: try HTTPCache())
    for (cookie, count) in [("user=ash", 1), ("user=misty", 2), ("user=ash", 2)] {
      let request = TransportRequest(url: server.origin, headers: ["Cookie": cookie])
      #expect(await transport.exchange(request).body == Data(cookie.utf8))
      #expect(server.log.requestCount == count)
    }
  }

  @Test("stacks that add nothing share responses; a transport that states nothing gets none of them")
  func sharing() async throws {
    let server = try greeter()
    let cache = try HTTPCache()
    let curl = try curl(at: server)
    let plain = CachingTransport(PlainLayer(wrapped: curl), cache: cache)
    let outer = CachingTransport(Wrapper(inner: curl), cache: cache)
    for (transport, count) in [(plain, 1), (CachingTransport(curl, cache: cache), 1), (outer, 2), (outer, 3)]
    {
      #expect(await transport.exchange(.init(url: server.origin)).body == Data("nobody".utf8))
      #expect(server.log.requestCount == count)
    }
  }

  @Test("a transport that states nothing gets no response to an earlier token")
  func changingWrapper() async throws {
    let server = try greeter()
    let below = Wrapper(inner: try curl(at: server), token: "")
    let transport = CachingTransport(below, cache: try HTTPCache())
    for user in ["ash", "misty"] {
      below.token.withLock { $0 = user }
      #expect(await transport.exchange(.init(url: server.origin)).body == Data("Bearer \(user)".utf8))
    }
  }

  @Test("the responses of an application's transport are stored once it states what it adds")
  func ownTransport() async throws {
    struct Own: Transport {
      var states = false

      func addedCredentials(to request: TransportRequest) -> AddedCredentials { states ? [] : .unknown }

      func start(
        _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
      ) -> any Cancellable {
        handler(.head(.init(statusCode: 200, url: request.url, headers: ["Cache-Control": "max-age=60"])))
        handler(.finished(nil))
        return CancellableToken {}
      }
    }
    let folder = try TemporaryFolder()
    let cache = try HTTPCache(directory: folder.url)
    var stored = TransportRequest(url: "http://h/")
    stored.cachePolicy = .storedOnly
    for (own, isStored) in [(Own(), false), (Own(states: true), true)] {
      let transport = CachingTransport(own, cache: cache)
      #expect(await transport.exchange(.init(url: stored.url)).error == nil)
      #expect((await transport.exchange(stored).error == nil) == isStored)
      cache.waitForFiles()
      #expect((cache.currentDiskUsage > 0) == isStored)
    }
  }
}
