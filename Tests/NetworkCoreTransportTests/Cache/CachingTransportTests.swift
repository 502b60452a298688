import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Synchronization
import Testing

@Suite("Cached responses", .timeLimit(.minutes(5)))
struct CachingTransportTests {
  /// A clock that a test sets.
  final class Clock: Sendable {
    private let seconds = Lock(1_700_000_000.0)
    @Sendable func now() -> Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
    func advance(_ by: TimeInterval) { seconds.withLock { $0 += by } }
  }

  private let clock = Clock()
  private let server: LoopbackServer

  init() throws {
    server = try LoopbackServer { request in
      let reply = LoopbackServer.Reply.text("\(request.target) \(request.headers["Authorization"] ?? "")")
      return reply.header("Cache-Control", "max-age=60")
    }
    server.route("GET", "/tag") { request in
      let reply = LoopbackServer.Reply.text("body")
      let named = request.headers["If-None-Match"] == "\"1\""
      return (named ? .status(304).header("X-Seen", "again") : reply.header("X-Seen", "first"))
        .header("ETag", "\"1\"").header("Cache-Control", "max-age=60")
    }
  }

  private func transport(_ cache: HTTPCache? = nil, over other: (any Transport)? = nil) throws
    -> CachingTransport
  {
    CachingTransport(try other ?? CurlTransport(), cache: try cache ?? HTTPCache(), clock: clock.now)
  }

  private func fetch(
    _ transport: any Transport, _ path: String, _ policy: TransportRequest.CachePolicy = .useProtocol,
    method: HTTPMethod = .get, headers: HTTPHeaders = [:]
  ) async -> TransferRecorder.Events {
    var request = TransportRequest(method: method, url: server.origin + path, headers: headers)
    request.cachePolicy = policy
    return await transport.exchange(request)
  }

  @Test("a fresh response is reused with its age, for HEAD without the body; a stale one is not")
  func fresh() async throws {
    let transport = try transport()
    #expect(await fetch(transport, "/a").head?.headers["Age"] == nil)
    clock.advance(59)
    let again = await fetch(transport, "/a#part")
    #expect(again.body == Data("/a ".utf8))
    #expect(again.heads == 1)
    #expect(again.error == nil)
    #expect(again.head?.headers["Age"] == "59")
    #expect(again.head?.headers["Content-Type"] == "text/plain; charset=utf-8")
    #expect(again.head?.httpVersion == .http1_1)
    let head = await fetch(transport, "/a", method: .head)
    #expect(head.pieces.isEmpty)
    #expect(head.status == 200)
    #expect(server.log.requestCount == 1)
    #expect(await fetch(transport, "/a?b").body == Data("/a?b ".utf8))
    clock.advance(1)
    #expect(await fetch(transport, "/a").error == nil)
    #expect(server.log.requestCount == 3)
  }

  @Test("a 304 is not visible: the stored body is delivered with the new fields, and is fresh again")
  func revalidated() async throws {
    let transport = try transport()
    #expect(await fetch(transport, "/tag").head?.headers["X-Seen"] == "first")
    clock.advance(100)
    let events = await fetch(transport, "/tag")
    #expect(events.status == 200)
    #expect(events.heads == 1)
    #expect(events.body == Data("body".utf8))
    #expect(events.head?.headers["X-Seen"] == "again")
    #expect(events.head?.headers["Content-Length"] == "4")
    clock.advance(50)
    #expect(await fetch(transport, "/tag").head?.headers["X-Seen"] == "again")
    #expect(server.log.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\""])
  }

  @Test("after a 304 for a response other than the stored one, the request is retried without conditions")
  func otherTag() async throws {
    let count = Atomic(0)
    server.route("/changing") { request in
      let number = count.add(1, ordering: .relaxed).newValue
      if request.headers["If-Modified-Since"] != nil {
        return .status(304).header("ETag", "\"other\"")
      }
      return .text("\(number)").header("ETag", "\"\(number)\"").header("Last-Modified", "x")
    }
    let transport = try transport()
    #expect(await fetch(transport, "/changing").body == Data("1".utf8))
    let events = await fetch(transport, "/changing")
    #expect(events.error == nil)
    #expect(events.status == 200)
    #expect(events.heads == 1)
    #expect(events.body == Data("3".utf8))
  }

  @Test(
    "a change removes the response of each URL that is sent alike",
    arguments: [
      ("", "/"), ("/", ""), ("?a=1", "/?a=1"), ("/a%2fb", "/a%2Fb"), ("/x#part", "/x"),
      ("/a", "/x/../a"), ("/x/../a", "/a"), ("/x/./y/..", "/x/"), ("/a?b=/../c", "/x/../a?b=/../c"),
    ])
  func alikeURLs(got: String, changed: String) async throws {
    let transport = try transport()
    #expect(await fetch(transport, got).error == nil)
    #expect(await fetch(transport, got).head?.headers["Age"] != nil)
    #expect(await fetch(transport, changed, method: .post).error == nil)
    #expect(await fetch(transport, got).head?.headers["Age"] == nil)
    let upper = server.origin.replacing("http", with: "HTTP") + got
    #expect(await transport.exchange(.init(url: upper)).head?.headers["Age"] != nil)
  }

  @Test("two sockets whose paths differ in case share no response, and a response has the requested URL")
  func spellings() async throws {
    let cache = try HTTPCache()
    let wire = ScriptedTransport { $0.respond(200, headers: ["Cache-Control": "max-age=60"], $0.request.url) }
    let transport = CachingTransport(wire, cache: cache)
    for url in ["http+unix://%2Frun%2FA.sock/v1", "http+unix://%2Frun%2Fa.sock/v1", "http://Host:80/a%2fb"] {
      for _ in 0..<2 {
        let events = await transport.exchange(.init(url: url))
        #expect(events.body == Data(url.utf8))
        #expect(events.head?.url == url)
      }
    }
    #expect(wire.transfers.count == 3)
    #expect(await transport.exchange(.init(url: "http://host/a%2Fb")).head?.url == "http://host/a%2Fb")
    #expect(wire.transfers.count == 3)
  }

  @Test(
    "the default port of the scheme and an empty one make no difference, and any other port does",
    arguments: [
      ("https://h:443/a", "https://h/a", true), ("http://h:443/a", "http://h/a", false),
      ("https://h:80/a", "https://h/a", false), ("http://h:/a", "http://h/a", true),
      ("http://h:8080/a", "http://h/a", false),
    ])
  func ports(url: String, other: String, isSame: Bool) async throws {
    let wire = ScriptedTransport { $0.respond(headers: ["Cache-Control": "max-age=60"], "body") }
    let transport = try transport(over: wire)
    for requested in [url, other] { #expect(await transport.exchange(.init(url: requested)).error == nil) }
    #expect(wire.transfers.count == (isSame ? 1 : 2))
  }

  @Test("only-if-cached sends nothing, also for a range or conditions that the cache cannot answer")
  func onlyIfCached() async throws {
    let transport = try transport()
    #expect(await fetch(transport, "/a").error == nil)
    for fields: HTTPHeaders in [["Range": "bytes=99-"], ["Range": "bytes=0-0,2-2"], ["If-Range": "\"1\""]] {
      var fields = fields
      fields.add(name: "Cache-Control", value: "only-if-cached")
      let events = await fetch(transport, "/a", headers: fields)
      #expect(events.error == .notStored(url: server.origin + "/a"))
    }
    for policy in [TransportRequest.CachePolicy.reload, .storedElseLoad] {
      let events = await fetch(transport, "/b", policy, headers: ["Cache-Control": "only-if-cached"])
      #expect(events.error == .notStored(url: server.origin + "/b"))
    }
    #expect(server.log.requestCount == 1)
  }

  @Test("an error of the retried request does not prove that the request was not sent")
  func unsentRetry() async throws {
    let other = ScriptedTransport { transfer in
      if transfer.request.headers["If-None-Match"] != nil {
        transfer.respond(304, headers: ["ETag": "\"other\""])
      } else if transfer.request.headers["X-Lost"] == nil {
        transfer.respond(200, headers: ["ETag": "\"1\"", "Cache-Control": "no-cache"], "body")
      } else {
        transfer.send(.finished(.cannotFindHost("h", isUnsent: true)))
      }
    }
    let transport = CachingTransport(other, cache: try HTTPCache())
    var request = TransportRequest(url: "http://h/")
    #expect(await transport.exchange(request).error == nil)
    request.headers = ["X-Lost": "1"]
    #expect(await transport.exchange(request).error == .cannotFindHost("h"))
    #expect(other.transfers.count == 3)
  }

  @Test("a cancellation reaches the retried request, also if the 304 arrived before start returned")
  func cancelAgain() async throws {
    let other = ScriptedTransport { transfer in
      if transfer.request.headers["If-None-Match"] != nil {
        transfer.respond(304, headers: ["ETag": "\"other\""])
      } else if transfer.request.headers["X-Held"] == nil {
        transfer.respond(200, headers: ["ETag": "\"1\"", "Cache-Control": "no-cache"], "body")
      }
    }
    let transport = try transport(over: other)
    #expect(await fetch(transport, "/a").body == Data("body".utf8))
    let held = TransportRequest(url: "\(server.origin)/a", headers: ["X-Held": "yes"])
    let (token, recorder) = transport.record(held)
    // This exchange is queued after the held request.
    _ = await fetch(transport, "/b")
    token.cancel()
    #expect(other.transfers.map(\.cancelCount) == [0, 0, 1, 0])
    other.transfers[2].send(.finished(nil))
    #expect(await recorder.waitForEnd().error == .cancelled)
  }

  @Test("a request that is cancelled between a 304 and its end is not sent again")
  func cancelBetweenHeadAndEnd() async throws {
    let other = ScriptedTransport { transfer in
      if transfer.request.headers["If-None-Match"] != nil {
        let url = transfer.request.url
        transfer.send(.head(ResponseHead(statusCode: 304, url: url, headers: ["ETag": "\"other\""])))
      } else {
        transfer.respond(200, headers: ["ETag": "\"1\"", "Cache-Control": "no-cache"], "body")
      }
    }
    let transport = try transport(over: other)
    #expect(await fetch(transport, "/a").body == Data("body".utf8))
    let (token, recorder) = transport.record(TransportRequest(url: "\(server.origin)/a"))
    // This exchange is queued after the conditional request.
    _ = await fetch(transport, "/b")
    try #require(other.transfers.count == 3)
    token.cancel()
    other.transfers[1].send(.finished(nil))
    #expect(await recorder.waitForEnd().error == .cancelled)
    #expect(other.transfers.count == 3)
  }

  @Test("the cache policies are followed: a stored response of any age, only a stored one, and none")
  func policies() async throws {
    let transport = try transport()
    #expect(await fetch(transport, "/a", .storedOnly).error == .notStored(url: "\(server.origin)/a"))
    #expect(server.log.requestCount == 0)
    #expect(await fetch(transport, "/a", .storedElseLoad).error == nil)
    clock.advance(100_000)
    #expect(await fetch(transport, "/a", .storedElseLoad).body == Data("/a ".utf8))
    #expect(await fetch(transport, "/a", .storedOnly).body == Data("/a ".utf8))
    #expect(server.log.requestCount == 1)
    #expect(await fetch(transport, "/a", .reload).error == nil)
    #expect(await fetch(transport, "/a", .reloadEverywhere).error == nil)
    #expect(server.log.requests.map { $0.headers["Cache-Control"] } == [nil, nil, "no-cache"])
    // The response was stored nevertheless.
    #expect(await fetch(transport, "/a").error == nil)
    #expect(server.log.requestCount == 3)
  }

  @Test(
    "reloadEverywhere sends Cache-Control and Pragma, whatever the request",
    arguments: [
      ("GET", "Accept", "*/*"), ("GET", "Cache-Control", "max-stale"), ("GET", "Cache-Control", "no-store"),
      ("GET", "If-None-Match", "\"1\""), ("HEAD", "Accept", "*/*"), ("POST", "Accept", "*/*"),
    ])
  func everywhere(method: String, field: String, value: String) async throws {
    var request = TransportRequest(method: .init(rawValue: method), url: "\(server.origin)/a")
    request.headers[field] = value
    request.cachePolicy = .reloadEverywhere
    #expect(await (try transport()).exchange(request).error == nil)
    let sent = try #require(server.log.requests.last?.headers)
    #expect(sent["Cache-Control"] == (value == "no-store" ? "no-cache, no-store" : "no-cache"))
    #expect(sent["Pragma"] == "no-cache")
  }

  @Test("without the caching transport, nothing is stored")
  func off() async throws {
    let transport = try CurlTransport()
    for _ in 0..<2 { #expect(await fetch(transport, "/a").error == nil) }
    #expect(server.log.requestCount == 2)
  }

  @Test("a request whose credential the inner transport supplies bypasses the cache")
  func credential() async throws {
    let transport = try transport()
    for user in ["one", "two", "one"] {
      var request = TransportRequest(url: "\(server.origin)/a")
      request.credential = .bearer(token: user)
      #expect(await transport.exchange(request).body == Data("/a Bearer \(user)".utf8))
    }
    #expect(await fetch(transport, "/a").body == Data("/a ".utf8))
    #expect(server.log.requestCount == 4)
  }

  @Test("stored responses are selected by Authorization and by the fields in Vary")
  func selecting() async throws {
    server.route("/vary") { request in
      .text(request.headers["Accept-Language"] ?? "").header("Vary", "Accept-Language")
        .header("Cache-Control", "max-age=60")
    }
    let transport = try transport()
    for user in ["one", "two", "one", "two"] {
      let events = await fetch(transport, "/a", headers: ["Authorization": user])
      #expect(events.body == Data("/a \(user)".utf8))
    }
    #expect(server.log.requestCount == 2)
    for language in ["de", "en", "en", "de"] {
      let events = await fetch(transport, "/vary", headers: ["Accept-Language": language])
      #expect(events.body == Data(language.utf8))
    }
    #expect(server.log.requestCount == 4)
  }

  @Test("the Host field of a request selects a response in any case, also in a file")
  func selectingHost() async throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let wire = ScriptedTransport {
      $0.respond(headers: ["Cache-Control": "max-age=60"], $0.request.headers["Host"] ?? "none")
    }
    for host in [nil, "a", "b", nil, "A", "b"] {
      let cache = try HTTPCache(directory: folder.url)
      let request = TransportRequest(url: "http://h/", headers: host.map { ["Host": $0] } ?? [:])
      let events = await (try transport(cache, over: wire)).exchange(request)
      #expect(events.body == Data((host?.lowercased() ?? "none").utf8))
      cache.waitForFiles()
    }
    #expect(wire.transfers.count == 3)
  }

  @Test("a change with a user in its URL removes the response to the URL without")
  func userOfChange() async throws {
    let wire = ScriptedTransport { $0.respond(headers: ["Cache-Control": "max-age=60"], "old") }
    let transport = try transport(over: wire)
    for (method, url) in [(HTTPMethod.get, "http://h/a"), (.put, "http://me:pw@h/a"), (.get, "http://h/a")] {
      #expect(await transport.exchange(.init(method: method, url: url)).head?.headers["Age"] == nil)
    }
    #expect(wire.transfers.count == 3)
  }

  @Test("a stored response without a Date is delivered with the time of its arrival")
  func addedDate() async throws {
    let wire = ScriptedTransport { $0.respond(headers: ["Cache-Control": "max-age=60"], "body") }
    let transport = try transport(over: wire)
    let request = TransportRequest(url: "http://h/")
    #expect(await transport.exchange(request).head?.headers["Date"] == nil)
    clock.advance(10)
    #expect(await transport.exchange(request).head?.headers["Date"] == "Tue, 14 Nov 2023 22:13:20 GMT")
    #expect(wire.transfers.count == 1)
  }

  @Test(
    "a response without a date of its own counts as modified when it arrived",
    arguments: [("Tue, 14 Nov 2023 22:13:20 GMT", 304), ("Tue, 14 Nov 2023 22:13:19 GMT", 200)])
  func undated(date: String, status: Int) async throws {
    let wire = ScriptedTransport { $0.respond(headers: ["Cache-Control": "max-age=60"], "body") }
    let transport = try transport(over: wire)
    clock.advance(0.5)
    #expect(await transport.exchange(.init(url: "http://h/")).error == nil)
    let request = TransportRequest(url: "http://h/", headers: ["If-Modified-Since": date])
    #expect(await transport.exchange(request).status == status)
    #expect(wire.transfers.count == 1)
  }

  @Test(
    "a successful change removes the responses for its URL, and for the URL that it names on the same server")
  func invalidated() async throws {
    server.route("POST", "/a") { request in
      let status = Int(request.query("status") ?? "") ?? 200
      return .text("done", status: status).header("Location", "/b").header(
        "Content-Location", "http://other.invalid/")
    }
    let transport = try transport()
    for path in ["/a?status=500", "/a", "/b"] { _ = await fetch(transport, path) }
    #expect(await fetch(transport, "/a?status=500", method: .post).status == 500)
    #expect(await fetch(transport, "/a?status=500", .storedOnly).error == nil)
    #expect(await fetch(transport, "/a", method: .post).error == nil)
    for path in ["/a", "/b"] {
      #expect(await fetch(transport, path, .storedOnly).error == .notStored(url: server.origin + path))
    }
  }

  @Test("a stale response is used at once, and revalidated once for later requests")
  func staleWhileRevalidating() async throws {
    let gate = LoopbackServer.Gate()
    let count = Atomic(0)
    server.route("GET", "/swr") { _ in
      let number = count.add(1, ordering: .relaxed).newValue
      let reply = LoopbackServer.Reply.text("\(number)")
        .header("Cache-Control", "max-age=60, stale-while-revalidate=100")
      return number == 1 ? reply : reply.held(until: gate)
    }
    let transport = try transport()
    #expect(await fetch(transport, "/swr").body == Data("1".utf8))
    clock.advance(100)
    for _ in 0..<3 {
      let stale = await fetch(transport, "/swr")
      #expect(stale.body == Data("1".utf8))
      #expect(stale.head?.headers["Age"] == "100")
    }
    try await server.log(until: { $0.pending == 1 })
    gate.open()
    #expect(await suspendUntil { await fetch(transport, "/swr", .storedOnly).body == Data("2".utf8) })
    #expect(server.log.requestCount == 2)
    // A later one is revalidated again.
    clock.advance(100)
    #expect(await fetch(transport, "/swr").body == Data("2".utf8))
    #expect(await suspendUntil { await fetch(transport, "/swr", .storedOnly).body == Data("3".utf8) })
  }

  @Test("a revalidation in the background reports nothing to the observer of the request that started it")
  func unobservedRevalidation() async throws {
    final class Observer: TransferObserver {
      func note(_ event: TransportEvent, at time: ContinuousClock.Instant) -> Bool { false }
      func deliver() {}
    }
    let scripted = ScriptedTransport {
      $0.respond(headers: ["Cache-Control": "max-age=60, stale-while-revalidate=100"], "a")
    }
    let transport = try transport(over: scripted)
    var request = TransportRequest(url: server.origin + "/a")
    let observer = Observer()
    request.observer = observer
    #expect(await transport.exchange(request).error == nil)
    clock.advance(100)
    #expect(await transport.exchange(request).head?.headers["Age"] == "100")
    #expect(await suspendUntil { scripted.transfers.count == 2 })
    #expect(scripted.transfers.map { $0.request.observer === observer } == [true, false])
  }

  @Test("a revalidation in the background has neither the start nor the hedge of the request that started it")
  func unlimitedRevalidation() async throws {
    let wire = ScriptedTransport {
      $0.respond(headers: ["Cache-Control": "max-age=60, stale-while-revalidate=100"], "a")
    }
    let transport = try transport(over: wire)
    var request = TransportRequest(url: "http://h/a")
    request.firstStart = 1
    request.hedgeDelay = HedgeDelay(1, scheduler: ManualDelayScheduler(), within: nil)
    #expect(await transport.exchange(request).error == nil)
    clock.advance(100)
    #expect(await transport.exchange(request).head?.headers["Age"] == "100")
    #expect(await suspendUntil { wire.transfers.count == 2 })
    #expect(wire.transfers.map { $0.request.firstStart == nil } == [false, true])
    #expect(wire.transfers.map { $0.request.hedgeDelay == nil } == [false, true])
  }

  @Test("a revalidation in the background that has failed is tried again")
  func failedBackgroundRevalidation() async throws {
    let count = Atomic(0)
    server.route("GET", "/swr") { _ in
      // libcurl repeats a GET once if a connection that it reuses breaks.
      if [2, 3].contains(count.add(1, ordering: .relaxed).newValue) { return .reset }
      return .text("a").header("Cache-Control", "max-age=60, stale-while-revalidate=100")
    }
    let transport = try transport()
    #expect(await fetch(transport, "/swr").error == nil)
    clock.advance(100)
    #expect(
      await suspendUntil {
        _ = await fetch(transport, "/swr")
        return server.log.requestCount >= 4
      })
  }

  @Test(
    "a fresh response answers the caller's conditions",
    arguments: [
      (["If-None-Match": "\"1\""], true), (["If-None-Match": "W/\"0\", W/\"1\""], true),
      (["If-None-Match": "*"], true), (["If-None-Match": "\"2\""], false), (["If-None-Match": "1"], false),
      (["If-None-Match": "\"0, \"1"], false),
      (["If-None-Match": "\"0\"1\"2\""], false),
      (["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"], true),
      (["If-Modified-Since": "Sun, 06 Nov 1994 08:49:36 GMT"], false), (["If-Modified-Since": "x"], false),
      (["If-None-Match": "\"2\"", "If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"], false),
    ] as [(HTTPHeaders, Bool)])
  func callersConditions(headers: HTTPHeaders, isCurrent: Bool) async throws {
    server.route("GET", "/dated") { _ in
      .text("body").header("ETag", "\"1\"").header("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")
        .header("Cache-Control", "max-age=60")
    }
    let transport = try transport()
    #expect(await fetch(transport, "/dated").error == nil)
    let events = await fetch(transport, "/dated", headers: headers)
    #expect(events.error == nil)
    #expect(events.head?.statusCode == (isCurrent ? 304 : 200))
    #expect(events.body == Data((isCurrent ? "" : "body").utf8))
    #expect(events.head?.headers["ETag"] == "\"1\"")
    #expect(events.head?.headers["Content-Length"] == (isCurrent ? nil : "4"))
    #expect(server.log.requestCount == 1)
    // The stored response stays whole, and a stale one answers nothing.
    #expect(await fetch(transport, "/dated").body == Data("body".utf8))
    clock.advance(60)
    #expect(await fetch(transport, "/dated", headers: headers).head?.statusCode == 200)
    #expect(server.log.requests.last?.headers["If-None-Match"] == headers["If-None-Match"])
  }

  @Test("after a stored redirect, the next request is the first of its transfer; after a server's, it is not")
  func afterStoredRedirect() async throws {
    let wire = ScriptedTransport { transfer in
      guard transfer.request.url == "http://h/a" else { return transfer.respond() }
      transfer.respond(301, headers: ["Location": "/b", "Cache-Control": "max-age=60"])
    }
    let session = Session(
      transport: try transport(over: wire), redirectHandler: .modify { _, request, _ in request })
    for isStored in [false, true] {
      var request = TransportRequest(url: "http://h/a")
      request.cachePolicy = .useProtocol
      #expect(await session.exchange(request).status == 200)
      #expect((wire.transfers.last?.request.firstStart == nil) == isStored)
    }
    #expect(wire.transfers.map(\.request.url) == ["http://h/a", "http://h/b", "http://h/b"])
  }

  @Test("the cache's conditions are not sent to another URL after a redirect", arguments: [true, false])
  func conditionsAfterRedirect(isSameServer: Bool) async throws {
    let other = try LoopbackServer { _ in .text("elsewhere") }
    server.route("GET", "/b") { _ in .text("elsewhere") }
    let isMoved = Lock(false)
    let target = "\(isSameServer ? server.origin : other.origin)/b"
    server.route("GET", "/moving") { _ in
      isMoved.withLock { $0 }
        ? .redirect(to: target)
        : .text("here").header("ETag", "\"1\"").header("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")
          .header("Cache-Control", "no-cache")
    }
    let transport = try transport()
    #expect(await fetch(transport, "/moving").body == Data("here".utf8))
    isMoved.withLock { $0 = true }
    #expect(await fetch(transport, "/moving").body == Data("elsewhere".utf8))
    #expect(server.log.requests.last { $0.path == "/moving" }?.headers["If-None-Match"] == "\"1\"")
    let seen = try #require((isSameServer ? server : other).log.requests.last)
    #expect(seen.path == "/b")
    #expect(seen.headers["If-None-Match"] == nil)
    #expect(seen.headers["If-Modified-Since"] == nil)
  }

  @Test(
    "a late response about a stored one neither replaces nor removes the one that has taken its place",
    arguments: ["304", "304 with no-store", "HEAD", "HEAD of another", "200 with no-store"], [true, false])
  func late(how: String, inMemory: Bool) async throws {
    let (transfers, started) = AsyncStream<ScriptedTransport.Transfer>.makeStream()
    let wire = ScriptedTransport { started.yield($0) }
    var next = transfers.makeAsyncIterator()
    let folder = try TemporaryFolder()
    let cache = inMemory ? nil : try HTTPCache(memoryCapacity: 0, directory: folder.url)
    let transport = try transport(cache, over: wire)
    let request = TransportRequest(url: "http://h/a")
    let fields = { (tag: String) in ["ETag": tag, "Cache-Control": "max-age=60"] as HTTPHeaders }
    let (_, first) = transport.record(request)
    try #require(await next.next()).respond(200, headers: fields("\"1\""), "old")
    #expect(await first.waitForEnd().error == nil)
    clock.advance(100)
    let (_, late) = transport.record(
      TransportRequest(method: how.hasPrefix("HEAD") ? .head : .get, url: request.url))
    let about = try #require(await next.next())
    clock.advance(1)
    var reload = request
    reload.cachePolicy = .reload
    let (_, second) = transport.record(reload)
    try #require(await next.next()).respond(200, headers: fields("\"2\""), "new")
    #expect(await second.waitForEnd().error == nil)
    switch how {
    case "304": about.respond(304, headers: fields("\"1\""))
    case "304 with no-store": about.respond(304, headers: ["Cache-Control": "no-store"])
    case "HEAD": about.respond(200, headers: fields("\"1\""))
    case "HEAD of another": about.respond(200, headers: fields("\"3\""))
    default: about.respond(200, headers: ["Cache-Control": "no-store"], "other")
    }
    #expect(await late.waitForEnd().error == nil)
    var stored = request
    stored.cachePolicy = .storedOnly
    #expect(await transport.exchange(stored).body == Data("new".utf8))
    #expect(wire.transfers.count == 3)
  }

  @Test("a late 304 does not replace one that is written after its predecessor has been read again")
  func lateAfterRead() async throws {
    let (transfers, started) = AsyncStream<ScriptedTransport.Transfer>.makeStream()
    let wire = ScriptedTransport { started.yield($0) }
    var next = transfers.makeAsyncIterator()
    let folder = try TemporaryFolder()
    let cache = try HTTPCache(memoryCapacity: 0, diskCapacity: 1 << 28, directory: folder.url)
    let transport = try transport(cache, over: wire)
    let fields = ["ETag": "\"1\"", "Vary": "Accept-Language", "Cache-Control": "max-age=60"] as HTTPHeaders
    let request = { (policy: TransportRequest.CachePolicy, language: String) in
      var request = TransportRequest(url: "http://h/a", headers: ["Accept-Language": language])
      request.cachePolicy = policy
      return request
    }
    let (_, first) = transport.record(request(.useProtocol, "en"))
    try #require(await next.next()).respond(200, headers: fields, "old")
    #expect(await first.waitForEnd().error == nil)
    clock.advance(100)
    let (_, late) = transport.record(request(.useProtocol, "en"))
    let about = try #require(await next.next())
    let (_, other) = transport.record(request(.reload, "de"))
    let slow = try #require(await next.next())
    let (_, second) = transport.record(request(.reload, "en"))
    let newer = try #require(await next.next())
    // While this file is being written, others of the same URL can neither be read nor written.
    slow.respond(200, headers: fields, String(repeating: "a", count: 10_000_000))
    #expect(await other.waitForEnd().error == nil)
    let (_, reading) = transport.record(request(.storedOnly, "en"))
    newer.respond(200, headers: fields, "new")
    #expect(await second.waitForEnd().error == nil)
    _ = await reading.waitForEnd()
    cache.waitForFiles()
    about.respond(304, headers: fields)
    #expect(await late.waitForEnd().error == nil)
    // The large file would be read, too, and on a busy machine that takes more than a second: then all are ignored.
    let (_, third) = transport.record(request(.reload, "de"))
    try #require(await next.next()).respond(200, headers: fields, "small")
    #expect(await third.waitForEnd().error == nil)
    cache.waitForFiles()
    #expect(await transport.exchange(request(.storedOnly, "en")).body == Data("new".utf8))
  }

  @Test(
    "a late 304 does not put its response before one that was requested later and depends on other fields")
  func lateVariant() async throws {
    let wire = ScriptedTransport()
    let transport = try transport(over: wire)
    var request = TransportRequest(url: "http://h/a", headers: ["Accept-Language": "en"])
    var fields = ["ETag": "\"1\"", "Cache-Control": "max-age=60"] as HTTPHeaders
    let (_, first) = transport.record(request)
    wire.transfers[0].respond(200, headers: fields, "old")
    #expect(await first.waitForEnd().error == nil)
    clock.advance(100)
    let (_, late) = transport.record(request)
    clock.advance(1)
    request.cachePolicy = .reload
    let (_, second) = transport.record(request)
    wire.transfers[2].respond(
      200, headers: ["Vary": "Accept-Language", "Cache-Control": "max-age=60"], "new")
    #expect(await second.waitForEnd().error == nil)
    clock.advance(1)
    fields.update(name: "X-Late", value: "1")
    wire.transfers[1].respond(304, headers: fields)
    #expect(await late.waitForEnd().body == Data("old".utf8))
    request.cachePolicy = .storedOnly
    #expect(await transport.exchange(request).body == Data("new".utf8))
    request.headers.update(name: "Accept-Language", value: "de")
    #expect(await transport.exchange(request).body == Data("old".utf8))
  }

  @Test(
    "a change that is redirected several times removes the responses to all of its URLs",
    arguments: TransportKind.allCases, [true, false])
  func redirectedChange(kind: TransportKind, isLost: Bool) async throws {
    for (path, next) in [("/1", "/2"), ("/2", "/3"), ("/3", "/4")] {
      server.route("POST", path) { _ in .redirect(to: next, status: 307) }
    }
    server.route("POST", "/4") { _ in isLost ? .reset : .text("changed") }
    let transport = try transport(over: kind.make())
    for path in ["/1", "/2", "/3", "/4"] { #expect(await fetch(transport, path).error == nil) }
    let events = await fetch(transport, "/1", method: .post)
    #expect((events.error != nil) == isLost)
    for path in ["/1", "/2", "/3", "/4"] {
      #expect(await fetch(transport, path, .storedOnly).error == .notStored(url: server.origin + path))
    }
  }

  @Test("a change that is redirected back and fails removes the response in the middle")
  func redirectedBack() async throws {
    let isFirst = Lock(true)
    server.route("POST", "/1") { _ in
      isFirst.withLock { exchange(&$0, with: false) } ? .redirect(to: "/2", status: 307) : .status(500)
    }
    server.route("POST", "/2") { _ in .redirect(to: "/1", status: 307) }
    let transport = try transport()
    for path in ["/1", "/2"] { #expect(await fetch(transport, path).error == nil) }
    #expect(await fetch(transport, "/1", method: .post).status == 500)
    #expect(await fetch(transport, "/2", .storedOnly).error == .notStored(url: server.origin + "/2"))
  }

  @Test("the redirects of a change's second copy count")
  func redirectedCopy() async throws {
    let wire = ScriptedTransport { transfer in
      if transfer.request.method == .get { transfer.respond(headers: ["Cache-Control": "max-age=60"], "old") }
    }
    let time = ManualDelayScheduler()
    let budget = RetryBudget(ratio: 1, scheduler: time)
    let policy = HedgePolicy(after: .fixed(.seconds(1)), budget: budget, scheduler: time)
    let transport = try transport(over: wire.hedged(policy))
    let urls = ["/1", "/2", "/3"].map { "http://host" + $0 }
    for url in urls { #expect(await transport.exchange(.init(url: url)).error == nil) }
    let (_, recorder) = transport.record(.init(method: .put, url: urls[0]))
    time.advance(by: .seconds(1))
    let copy = try #require(wire.transfers.last)
    copy.request.observer?.report(.redirected(to: urls[1], statusCode: 307))
    copy.request.observer?.report(.redirected(to: urls[2], statusCode: 307))
    copy.send(.head(ResponseHead(statusCode: 204, url: urls[2], headers: [:])), .finished(nil))
    _ = await recorder.waitForEnd()
    for url in urls {
      var stored = TransportRequest(url: url)
      stored.cachePolicy = .storedOnly
      #expect(await transport.exchange(stored).error == .notStored(url: url))
    }
    wire.finish()
  }

  @Test("an observer receives the redirects of a change through the cache")
  func observedChange() async throws {
    server.route("POST", "/from") { _ in .redirect(to: "/to", status: 307) }
    let observer = URLRecorder()
    var request = TransportRequest(method: .post, url: "\(server.origin)/from")
    request.observer = observer
    #expect(await (try transport()).exchange(request).error == nil)
    #expect(observer.urls == ["\(server.origin)/to"])
  }

  @Test("an observer gets the events of a change delivered through the cache")
  func deliveredEvents() async throws {
    final class CountingObserver: TransferObserver {
      let deliveries = Lock(0)
      func note(_ event: TransportEvent, at time: ContinuousClock.Instant) -> Bool { true }
      func deliver() { deliveries.withLock { $0 += 1 } }
    }
    let wire = ScriptedTransport { transfer in
      transfer.request.observer?.report(.firstByte)
      transfer.respond(204)
    }
    let observer = CountingObserver()
    var request = TransportRequest(method: .post, url: "http://h/")
    request.observer = observer
    #expect(await (try transport(over: wire)).exchange(request).status == 204)
    #expect(observer.deliveries.withLock { $0 } == 1)
  }

  @Test(
    "the metrics come right before the end, and are those of the last transfer",
    arguments: [("304", 1), ("304 of another", 2), ("503", 1), ("lost", 1)])
  func metrics(how: String, last: Int) async throws {
    let wire = ScriptedTransport()
    let transport = try transport(over: wire)
    let log = Log()
    let respond = { (index: Int, status: Int, tag: String, body: String) in
      let fields: HTTPHeaders = ["ETag": tag, "Cache-Control": "max-age=5, stale-if-error=100"]
      wire.transfers[index].send(.head(ResponseHead(statusCode: status, url: "http://h/", headers: fields)))
      if !body.isEmpty { wire.transfers[index].send(.body(Data(body.utf8))) }
    }
    let end = { (index: Int, error: TransferError?) in
      var metrics = TransferMetrics()
      metrics.redirects = index
      wire.transfers[index].send(.metrics(metrics), .finished(error))
    }
    _ = transport.start(.init(url: "http://h/")) { _ in }
    respond(0, 200, "\"1\"", "old")
    end(0, nil)
    clock.advance(50)
    let token = transport.start(.init(url: "http://h/")) { event in
      switch event {
      case .sent: log("sent")
      case .head(let head): log("head \(head.statusCode)")
      case .body(let piece): log("body \(piece.count)")
      case .metrics(let metrics): log("metrics \(metrics.redirects)")
      case .finished(let error): log("end\(error.map { " \($0)" } ?? "")")
      }
    }
    switch how {
    case "304": respond(1, 304, "\"1\"", "")
    case "304 of another": respond(1, 304, "\"2\"", "")
    case "503": respond(1, 503, "\"3\"", "sorry")
    default: break
    }
    end(1, how == "lost" ? .connectionLost(reason: "r") : nil)
    if last == 2 {
      respond(2, 200, "\"2\"", "new")
      end(2, nil)
    }
    #expect(log.all == ["head 200", "body 3", "metrics \(last)", "end"])
    withExtendedLifetime((token, transport)) {}
  }

  @Test(
    "a receiver that has paused gets the body of a stored response when it resumes, or no body if it cancels",
    arguments: [false, true])
  func paused(isCancelled: Bool) async throws {
    let wire = ScriptedTransport()
    let transport = try transport(over: wire)
    let request = TransportRequest(url: "http://h/")
    let fields: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "no-cache"]
    let (_, first) = transport.record(request)
    wire.transfers[0].respond(headers: fields, "body")
    #expect(first.events.error == nil)
    let (token, recorder) = transport.record(request)
    let transfer = try #require(token as? any Transfer)
    transfer.pause()
    wire.transfers[1].respond(304, headers: fields)
    #expect(recorder.events.status == 200)
    #expect(recorder.events.pieces.isEmpty)
    #expect(!recorder.events.isOver)
    if isCancelled { transfer.cancel() } else { transfer.resume() }
    let events = await recorder.waitForEnd()
    #expect(events.error == (isCancelled ? .cancelled : nil))
    #expect(events.body == Data((isCancelled ? "" : "body").utf8))
  }

  @Test("a response that must be revalidated is not used if the server fails")
  func failedRevalidation() async throws {
    let isBroken = Lock(false)
    server.route("/shaky") { _ in
      isBroken.withLock { $0 }
        ? .text("sorry", status: 503)
        : .text("good").header("Cache-Control", "max-age=60, stale-if-error=100")
    }
    let transport = try transport()
    #expect(await fetch(transport, "/shaky").body == Data("good".utf8))
    isBroken.withLock { $0 = true }
    #expect(await fetch(transport, "/shaky", .revalidate).status == 503)
    server.stop()
    #expect(await fetch(transport, "/shaky", .revalidate).error != nil)
    clock.advance(100)
    #expect(await fetch(transport, "/shaky").body == Data("good".utf8))
  }

  @Test(
    "a response to a request that was sent before its URL was invalidated is not stored",
    arguments: ["loaded", "revalidated", "one", "all"])
  func invalidatedWhileHeld(how: String) async throws {
    let gate = LoopbackServer.Gate()
    let count = Atomic(0)
    server.route("GET", "/held") { request in
      let number = count.add(1, ordering: .relaxed).newValue
      let isKnown = request.headers["If-None-Match"] != nil
      let reply = (isKnown ? .status(304) : LoopbackServer.Reply.text("\(number)"))
        .header("ETag", "\"1\"").header("Cache-Control", "max-age=60")
      return request.headers["X-Held"] == nil ? reply : reply.held(until: gate)
    }
    server.route("POST", "/held") { _ in .text("changed") }
    let cache = try HTTPCache()
    let transport = try transport(cache)
    if how == "revalidated" {
      #expect(await fetch(transport, "/held").body == Data("1".utf8))
      clock.advance(100)
    }
    let request = TransportRequest(url: "\(server.origin)/held", headers: ["X-Held": "yes"])
    let (_, held) = transport.record(request)
    try await server.log(until: { $0.pending == 1 })
    switch how {
    case "one": cache.removeCachedResponse(for: request.url)
    case "all": cache.removeAllCachedResponses()
    default: #expect(await fetch(transport, "/held", method: .post).error == nil)
    }
    gate.open()
    let events = await held.waitForEnd()
    #expect(events.error == nil)
    #expect(events.body == Data("1".utf8))
    #expect(await fetch(transport, "/held", .storedOnly).error == .notStored(url: request.url))
    // A later request is stored as usual.
    #expect(await fetch(transport, "/held").error == nil)
    #expect(await fetch(transport, "/held", .storedOnly).error == nil)
  }

  @Test(
    "if the server fails or is unreachable, a stale response is used if its fields allow that",
    arguments: [true, false])
  func staleOnError(isAllowed: Bool) async throws {
    let isBroken = Lock(false)
    server.route("/shaky") { _ in
      isBroken.withLock { $0 }
        ? .text("sorry", status: 503)
        : .text("good").header("Cache-Control", "max-age=5\(isAllowed ? ", stale-if-error=100" : "")")
    }
    let transport = try transport()
    #expect(await fetch(transport, "/shaky").body == Data("good".utf8))
    isBroken.withLock { $0 = true }
    clock.advance(50)
    let failed = await fetch(transport, "/shaky")
    #expect(failed.status == (isAllowed ? 200 : 503))
    #expect(failed.body == Data((isAllowed ? "good" : "sorry").utf8))
    #expect(failed.heads == 1)
    #expect(failed.head?.headers["Age"] == (isAllowed ? "50" : nil))
    server.stop()
    let gone = await fetch(transport, "/shaky")
    #expect((gone.error == nil) == isAllowed)
    clock.advance(100)
    #expect(await fetch(transport, "/shaky").error != nil)
  }

  @Test(
    "a truncated body, a redirect's target and a body over the limit are not stored",
    arguments: ["cut", "from", "large"])
  func notStored(path: String) async throws {
    server.route("/cut") { _ in .text("0123456789").header("Cache-Control", "max-age=60").truncated(after: 5)
    }
    server.route("/from") { _ in .redirect(to: "/a").header("Cache-Control", "max-age=60") }
    server.route("/large") { _ in
      .repeating(7, count: 200_000).header("Cache-Control", "max-age=60").chunked()
    }
    let cache = try HTTPCache(memoryCapacity: 1 << 20)
    let transport = try transport(cache)
    let events = await fetch(transport, "/\(path)")
    #expect((events.error == nil) == (path != "cut"))
    if path == "large" { #expect(events.body.count == 200_000) }
    let url = "\(server.origin)/\(path)"
    #expect(await fetch(transport, "/\(path)", .storedOnly).error == .notStored(url: url))
    #expect(cache.currentMemoryUsage == 0)
  }

  @Test("a response that must not be stored removes the stored one")
  func replaced() async throws {
    let isSecret = Lock(false)
    server.route("/turn") { _ in
      .text("x").header("Cache-Control", isSecret.withLock { $0 } ? "no-store" : "max-age=60")
    }
    let transport = try transport()
    _ = await fetch(transport, "/turn")
    isSecret.withLock { $0 = true }
    _ = await fetch(transport, "/turn", .reload)
    #expect(await fetch(transport, "/turn", .storedOnly).error == .notStored(url: "\(server.origin)/turn"))
  }

  @Test("a 304 that forbids storing removes the stored response", arguments: ["no-store", "*"])
  func forbidden(word: String) async throws {
    server.route("GET", "/once") { request in
      guard request.headers["If-None-Match"] != nil else {
        return .text("a").header("ETag", "\"1\"").header("Cache-Control", "no-cache")
      }
      let reply = LoopbackServer.Reply.status(304).header("ETag", "\"1\"")
      return word == "*" ? reply.header("Vary", word) : reply.header("Cache-Control", word)
    }
    let transport = try transport()
    #expect(await fetch(transport, "/once").error == nil)
    #expect(await fetch(transport, "/once").body == Data("a".utf8))
    #expect(await fetch(transport, "/once", .storedOnly).error == .notStored(url: "\(server.origin)/once"))
  }

  @Test("a response with an excessive age is used, with the largest value that a field can have")
  func ancient() async throws {
    server.route("GET", "/ancient") { _ in
      .text("a").header("Cache-Control", "max-age=60").header("Age", "\(Int.max)")
    }
    let transport = try transport()
    #expect(await fetch(transport, "/ancient").error == nil)
    clock.advance(1)
    let events = await fetch(transport, "/ancient", .storedElseLoad)
    #expect(events.head?.headers["Age"] == "2147483648")
    #expect(events.body == Data("a".utf8))
  }

  @Test(
    "a validator that cannot be sent is not used in a condition",
    arguments: [("ETag", "\"a\u{1}\""), ("Last-Modified", "yester\u{7F}day")])
  func unsendable(name: String, value: String) async throws {
    server.route("GET", "/odd") { request in
      .text(request.headers["If-None-Match"] ?? "unconditional").header(name, value).header(
        "Cache-Control", "max-age=0")
    }
    let transport = try transport()
    for _ in 0..<2 {
      let events = await fetch(transport, "/odd")
      #expect(events.error == nil)
      #expect(events.body == Data("unconditional".utf8))
    }
  }

  @Test("a response that depends on the transport's cookies is not used for requests with other cookies")
  func jar() async throws {
    server.route("GET", "/login") { _ in .text("").header("Set-Cookie", "user=bob") }
    server.route("GET", "/me") { request in
      .text(request.headers["Cookie"] ?? "nobody").header("Vary", "Cookie").header(
        "Cache-Control", "max-age=60")
    }
    var configuration = CurlConfiguration()
    configuration.cookies = .memory
    let cache = try HTTPCache()
    let without = try transport(cache)
    let transport = try transport(cache, over: CurlTransport(configuration: configuration))
    #expect(await fetch(without, "/me").body == Data("nobody".utf8))
    #expect(await fetch(transport, "/login").error == nil)
    #expect(await fetch(transport, "/me").body == Data("user=bob".utf8))
    #expect(await fetch(without, "/me").body == Data("nobody".utf8))
  }

  @Test("a credential in the transport's configuration bypasses the cache, as one in a request does")
  func configured() async throws {
    var configuration = CurlConfiguration()
    configuration.credentials[server.origin] = .basic(user: "me", password: "pw")
    let cache = try HTTPCache()
    let transport = try transport(cache, over: CurlTransport(configuration: configuration))
    let secret = Data("/a Basic \(Data("me:pw".utf8).base64EncodedString())".utf8)
    #expect(await fetch(transport, "/a").body == secret)
    #expect(await fetch(try self.transport(cache), "/a").body == Data("/a ".utf8))
    #expect(await fetch(transport, "/a").body == secret)
  }

  @Test("a stored body over the request's limit is an error, as it was on arrival")
  func limit() async throws {
    let transport = try transport()
    #expect(await fetch(transport, "/a").error == nil)
    let request = TransportRequest(url: "\(server.origin)/a", responseBodyLimit: 2)
    #expect(await transport.exchange(request).error == .responseTooLarge(limit: 2))
    #expect(server.log.requestCount == 1)
  }

  @Test("a transfer cancelled before it starts, during a request, or during delivery ends once, as cancelled")
  func cancelled() async throws {
    server.route("/never") { _ in .never }
    let transport = try transport()
    let (held, recorder) = transport.record(.init(url: "\(server.origin)/never"))
    try await server.log(until: { $0.pending == 1 })
    held.cancel()
    #expect(await recorder.waitForEnd().error == .cancelled)
    try await server.log(until: { $0.openConnections == 0 })
    #expect(await fetch(transport, "/a").error == nil)
    let given = TransferRecorder(keeping: transport)
    let token = Lock<(any Cancellable)?>(nil)
    let isSet = DispatchSemaphore(value: 0)
    let transfer = transport.start(.init(url: "\(server.origin)/a")) { event in
      if case .head = event {
        isSet.wait()
        let transfer = token.withLock { $0 }
        transfer?.cancel()
      }
      given.record(event)
    }
    token.withLock { $0 = transfer }
    isSet.signal()
    let events = await given.waitForEnd()
    #expect(events.error == .cancelled)
    #expect(events.pieces.isEmpty)
    for _ in 0..<100 {
      let (transfer, recorder) = transport.record(.init(url: "\(server.origin)/b"))
      transfer.cancel()
      let error = await recorder.waitForEnd().error
      #expect(error == .cancelled || error == nil)
    }
  }

  @Test("a released transport ends its transfers")
  func released() async throws {
    server.route("/never") { _ in .never }
    var transport: CachingTransport? = try transport()
    let recorder = TransferRecorder()
    let transfer = transport?.start(.init(url: "\(server.origin)/never"), handler: recorder.record)
    try await server.log(until: { $0.pending == 1 })
    transport = nil
    #expect(await recorder.waitForEnd().error == .cancelled)
    withExtendedLifetime(transfer) {}
  }

  @Test(
    "a transfer that outlives its transport delivers the stored response, or is cancelled",
    arguments: [
      (304, "\"1\"", nil), (503, "\"1\"", nil), (304, "\"2\"", .cancelled),
    ] as [(Int, String, TransferError?)])
  func continued(status: Int, tag: String, error: TransferError?) async throws {
    let wire = ScriptedTransport()
    var transport: CachingTransport? = try transport(over: wire)
    let request = TransportRequest(url: "http://h/")
    let fields = { (tag: String) in
      ["ETag": tag, "Cache-Control": "max-age=5, stale-if-error=100"] as HTTPHeaders
    }
    _ = transport?.start(request) { _ in }
    wire.transfers[0].respond(headers: fields("\"1\""), "body")
    clock.advance(50)
    let recorder = TransferRecorder()
    let token = transport?.start(request, handler: recorder.record)
    transport = nil
    wire.transfers[1].respond(status, headers: fields(tag), status == 503 ? "sorry" : "")
    #expect(recorder.events.error == error)
    #expect(recorder.events.status == (error == nil ? 200 : nil))
    #expect(recorder.events.body == Data((error == nil ? "body" : "").utf8))
    #expect(recorder.events.head?.headers["Age"] == (status == 503 ? "50" : nil))
    withExtendedLifetime(token) {}
  }

  @Test("a change that outlives its transport removes the stored response")
  func continuedChange() async throws {
    let wire = ScriptedTransport()
    let cache = try HTTPCache()
    let other = try self.transport(cache, over: wire)
    var transport: CachingTransport? = try self.transport(cache, over: wire)
    var request = TransportRequest(url: "http://h/")
    _ = other.start(request) { _ in }
    wire.transfers[0].respond(headers: ["Cache-Control": "max-age=60"], "body")
    let token = transport?.start(.init(method: .post, url: request.url)) { _ in }
    transport = nil
    wire.transfers[1].respond(204)
    request.cachePolicy = .storedOnly
    #expect(await other.exchange(request).error == .notStored(url: request.url))
    withExtendedLifetime(token) {}
  }

  @Test("each of many concurrent requests receives its own response")
  func concurrent() async throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let cache = try HTTPCache(memoryCapacity: 20_000, diskCapacity: 20_000, directory: folder.url)
    let transport = try transport(cache)
    let wrong = await withTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        group.addTask {
          var isWrong = false
          for index in 0..<100 {
            let path = "/\((index * 7 + task) % 40)"
            isWrong = await fetch(transport, path).body != Data("\(path) ".utf8) || isWrong
          }
          return isWrong
        }
      }
      return await group.contains(true)
    }
    #expect(!wrong)
    cache.waitForFiles()
    #expect(cache.currentMemoryUsage <= 20_000)
    #expect(cache.currentDiskUsage <= 20_000)
  }

  @Test("a request that cannot be sent fails as it does without a cache")
  func refused() async throws {
    let transport = try transport()
    #expect(
      await transport.exchange(.init(url: "file:///etc/passwd")).error
        == .unsupportedURL("file:///etc/passwd"))
  }
}

extension TaskGroup<Bool> {
  fileprivate func contains(_ value: Bool) async -> Bool {
    var found = false
    for await next in self where next == value { found = true }
    return found
  }
}

/// Records the URLs of redirects.
private final class URLRecorder: TransferObserver {
  private let recorded = Lock([String]())

  var urls: [String] { recorded.withLock { $0 } }

  func note(_ event: TransportEvent, at time: ContinuousClock.Instant) -> Bool {
    if case .redirected(let url, _) = event { recorded.withLock { $0.append(url) } }
    return false
  }

  func deliver() {}
}
