import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Redirect policies", .timeLimit(.minutes(5)))
struct RedirectPolicyTests {
  private let server: LoopbackServer

  init() throws {
    server = try LoopbackServer { request in
      let left = Int(request.path.dropFirst()) ?? 0
      guard left > 0 else { return .text(request.headers["X-Mark"] ?? "there") }
      return .text("moved", status: 302).header("Location", "/\(left - 1)")
    }
  }

  private func fetch(_ path: String, _ policy: RedirectPolicy) async throws -> TransferRecorder.Events {
    var configuration = CurlConfiguration()
    configuration.redirects = policy
    return await (try CurlTransport(configuration: configuration)).exchange(.init(url: server.origin + path))
  }

  @Test("redirects are followed up to the limit")
  func limit() async throws {
    #expect(try await fetch("/2", .follow(max: 2)).body == Data("there".utf8))
    #expect(try await fetch("/3", .follow(max: 2)).error == .tooManyRedirects(limit: 2))
    #expect(try await fetch("/0", .follow(max: 0)).body == Data("there".utf8))
    #expect(try await fetch("/1", .follow(max: 0)).error == .tooManyRedirects(limit: 0))
    #expect(try await fetch("/17", .follow).error == .tooManyRedirects(limit: 16))
    #expect(try await fetch("/2", .modify(max: 2) { next, _ in next }).body == Data("there".utf8))
    #expect(try await fetch("/3", .modify(max: 2) { next, _ in next }).error == .tooManyRedirects(limit: 2))
    #expect(try await fetch("/17", .modify { next, _ in next }).error == .tooManyRedirects(limit: 16))
  }

  @Test("a layer follows the redirects that its transport reports, as its own policy says")
  func layer() async throws {
    var configuration = CurlConfiguration()
    configuration.redirects = .doNotFollow
    let transport = try CurlTransport(configuration: configuration)
    let request = TransportRequest(url: server.origin + "/2")
    #expect(await transport.exchange(request).status == 302)
    let followed = await transport.followRedirects().exchange(request)
    #expect(followed.error == nil)
    #expect(followed.heads == 1)
    #expect(followed.status == 200)
    #expect(followed.head?.url == server.origin + "/0")
    #expect(followed.body == Data("there".utf8))
    #expect(
      await transport.followRedirects(.follow(max: 1)).exchange(request).error == .tooManyRedirects(limit: 1))
    #expect(await transport.followRedirects(.doNotFollow).exchange(request).status == 302)
    let changing = transport.followRedirects(
      .modify { next, _ in
        var next = next
        next.headers["X-Mark"] = "changed"
        return next
      })
    #expect(await changing.exchange(request).body == Data("changed".utf8))
    #expect(transport.followRedirects().addedCredentials(to: request) == [])
    #expect(changing.addedCredentials(to: request) == .unknown)
  }

  @Test("a redirect that is not followed is a response with head and body", arguments: ["none", "nil"])
  func doNotFollow(policy: String) async throws {
    let events = try await fetch("/1", policy == "none" ? .doNotFollow : .modify { _, _ in nil })
    #expect(events.error == nil)
    #expect(events.heads == 1)
    #expect(events.status == 302)
    #expect(events.head?.headers["Location"] == "/0")
    #expect(events.body == Data("moved".utf8))
    #expect(server.log.requestCount == 1)
  }

  @Test("a closure receives the proposed request and the response, and can change the request")
  func modify() async throws {
    let seen = Lock<[String]>([])
    let events = try await fetch(
      "/2",
      .modify { next, response in
        seen.withLock { $0.append("\(response.statusCode) \(next.url.suffix(2))") }
        var next = next
        next.headers["X-Mark"] = "changed"
        return next
      })
    #expect(events.body == Data("changed".utf8))
    #expect(seen.withLock { $0 } == ["302 /1", "302 /0"])
    let forged = try await fetch(
      "/1",
      .modify { next, _ in
        var next = next
        next.headers["X"] = "a\r\nB: c"
        return next
      })
    #expect(forged.error == .invalidField(name: "X", value: "a\r\nB: c"))
  }

  @Test(
    "if a closure names another origin, only credentials that it replaces are sent there")
  func elsewhere() async throws {
    let other = try LoopbackServer { request in
      .text(["Authorization", "Cookie", "X-Own"].map { request.headers[$0] ?? "-" }.joined(separator: " "))
    }
    func fetch(_ credential: CurlConfiguration.Credential?, _ own: HTTPHeaders) async throws
      -> TransferRecorder.Events
    {
      var configuration = CurlConfiguration()
      configuration.redirects = .modify { next, _ in
        var next = next
        next.url = "\(other.origin)/mirror"
        for field in own { next.headers.update(field) }
        return next
      }
      var request = TransportRequest(url: "\(server.origin)/1", headers: ["Cookie": "a=b", "X-Own": "c"])
      if credential == nil { request.headers["Authorization"] = "Bearer t" }
      request.credential = credential
      return await (try CurlTransport(configuration: configuration)).exchange(request)
    }
    #expect(try await fetch(nil, [:]).body == Data("- - c".utf8))
    #expect(try await fetch(.bearer(token: "t"), [:]).body == Data("- - c".utf8))
    #expect(try await fetch(nil, ["Authorization": "Bearer u"]).body == Data("Bearer u - c".utf8))
  }

  @Test("a declined second redirect is the response, and only its own body counts towards the limit")
  func declinedLater() async throws {
    let server = try LoopbackServer { request in
      request.path == "/a"
        ? .text("first", status: 302).header("Location", "/b")
        : .text("second", status: 302).header("Location", "/c")
    }
    var configuration = CurlConfiguration()
    configuration.redirects = .modify { next, _ in next.url.hasSuffix("/b") ? next : nil }
    let transport = try CurlTransport(configuration: configuration)
    let events = await transport.exchange(.init(url: "\(server.origin)/a", responseBodyLimit: 6))
    #expect(events.error == nil)
    #expect(events.status == 302)
    #expect(events.head?.headers["Location"] == "/c")
    #expect(events.body == Data("second".utf8))
    let over = await transport.exchange(.init(url: "\(server.origin)/a", responseBodyLimit: 5))
    #expect(over.error == .responseTooLarge(limit: 5))
  }

  @Test("a closure can replace the request's credential")
  func otherCredential() async throws {
    let other = try LoopbackServer { .text($0.headers["Authorization"] ?? "-") }
    var configuration = CurlConfiguration()
    configuration.redirects = .modify { next, _ in
      var next = next
      next.url = other.origin
      next.credential = .bearer(token: "u")
      return next
    }
    var request = TransportRequest(url: "\(server.origin)/1")
    request.credential = .bearer(token: "t")
    let events = await (try CurlTransport(configuration: configuration)).exchange(request)
    #expect(events.body == Data("Bearer u".utf8))
  }

  @Test("a secure request is redirected to a plain one only if that is allowed")
  func downgrade() async throws {
    let plain = server.origin
    let secure = try LoopbackServer(tls: .generated) { _ in .redirect(to: "\(plain)/0") }
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(secure.authority)
    for policy in [RedirectPolicy.follow, .modify { next, _ in next }] {
      configuration.redirects = policy
      let transport = try CurlTransport(configuration: configuration)
      let refused = await transport.exchange(.init(url: secure.origin))
      guard case .redirectRefused? = refused.error else {
        Issue.record("\(String(describing: refused.error))")
        continue
      }
    }
    for policy in [
      RedirectPolicy.follow(allowsDowngrade: true), .modify(allowsDowngrade: true) { next, _ in next },
    ] {
      configuration.redirects = policy
      let transport = try CurlTransport(configuration: configuration)
      #expect(await transport.exchange(.init(url: secure.origin)).body == Data("there".utf8))
    }
  }

  /// Acts between a redirect and the request that follows it.
  private final class RedirectObserver: TransferObserver {
    private let onRedirect: @Sendable () -> Void

    init(_ onRedirect: @escaping @Sendable () -> Void) { self.onRedirect = onRedirect }

    func note(_ event: TransportEvent, at time: ContinuousClock.Instant) -> Bool {
      if case .redirected = event { onRedirect() }
      return false
    }

    func deliver() {}
  }

  @Test(
    "a redirect is followed although another request has taken the transport's last place meanwhile",
    arguments: [false, true])
  func requestLimit(isSession: Bool) async throws {
    let other = try LoopbackServer { _ in .never }
    var configuration = CurlConfiguration()
    configuration.connections.requestLimit = 1
    if isSession { configuration.redirects = .doNotFollow }
    let transport = try CurlTransport(configuration: configuration)
    var follower: any Transport = transport
    if isSession {
      follower = Session(transport: transport, redirectHandler: .modify { _, request, _ in request })
    }
    let recorder = TransferRecorder()
    var request = TransportRequest(url: "\(server.origin)/1")
    request.observer = RedirectObserver {
      _ = transport.start(.init(url: other.origin), handler: recorder.record)
    }
    #expect(await follower.exchange(request).body == Data("there".utf8))
    try await other.log(until: { $0.pending == 1 })
    #expect(!recorder.events.isOver)
  }

  @Test("a redirect whose closure returns after the release of the transport is not followed")
  func released() async throws {
    let (entry, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    var configuration = CurlConfiguration()
    configuration.redirects = .modify { next, _ in
      entry.signal()
      gate.wait()
      return next
    }
    let recorder = TransferRecorder()
    var transport: CurlTransport? = try CurlTransport(configuration: configuration)
    _ = transport?.start(.init(url: "\(server.origin)/1"), handler: recorder.record)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      DispatchQueue.global().async {
        entry.wait()
        continuation.resume()
      }
    }
    transport = nil
    // The loop has ended when its connection is closed.
    try await server.log(until: { $0.openConnections == 0 })
    gate.signal()
    #expect(await recorder.waitForEnd().error == .cancelled)
    #expect(server.log.requestCount == 1)
  }

  @Test("a redirect with a body of unknown coding is followed, or delivered as it is")
  func unknownCoding() async throws {
    let origin = server.origin
    let server = try LoopbackServer { _ in
      .text("moved", status: 302).header("Location", "\(origin)/0").header("Content-Encoding", "x-own")
    }
    for policy in [RedirectPolicy.follow, .modify { next, _ in next }, .doNotFollow, .modify { _, _ in nil }]
    {
      var configuration = CurlConfiguration()
      configuration.redirects = policy
      let events = await (try CurlTransport(configuration: configuration)).exchange(.init(url: server.origin))
      #expect(events.error == nil)
      #expect(events.body == Data((events.status == 302 ? "moved" : "there").utf8))
    }
    #expect(self.server.log.requestCount == 2)
  }

  @Test("a closure can use a URL with non-ASCII letters")
  func letters() async throws {
    let origin = server.origin
    let events = try await fetch(
      "/1",
      .modify { next, _ in
        var next = next
        next.url = origin + "/\u{E4}"
        return next
      })
    #expect(events.error == nil)
    #expect(server.log.requests.map(\.target) == ["/1", "/%C3%A4"])
  }
}
