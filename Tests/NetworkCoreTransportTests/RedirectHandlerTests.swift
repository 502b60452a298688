import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Redirect handlers", .timeLimit(.minutes(5)))
struct RedirectHandlerTests {
  /// Lets the test complete with the proposed request later.
  private final class DeferringHandler: RedirectHandler {
    typealias Decision = @Sendable () -> Void
    private let (decisions, continuation) = AsyncStream<Decision>.makeStream()

    func task(
      _ task: URLSessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse,
      completion: @escaping @Sendable (URLRequest?) -> Void
    ) {
      continuation.yield { completion(request) }
    }

    /// Suspends until the next redirect.
    func next() async -> Decision {
      for await decision in decisions { return decision }
      return {}
    }
  }

  /// Drops its completion without calling it.
  private struct DroppingHandler: RedirectHandler {
    func task(
      _ task: URLSessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse,
      completion: @escaping (URLRequest?) -> Void
    ) {}
  }

  private let server: LoopbackServer

  init() throws {
    server = try LoopbackServer { request in
      let left = Int(request.path.dropFirst()) ?? 0
      guard left > 0 else { return .text("\(request.method) \(request.text)") }
      return .text("moved", status: 307).header("Location", "/\(left - 1)")
    }
  }

  private func fetch(
    _ path: String, _ handler: any RedirectHandler, _ change: (inout LoopbackTarget) -> Void = { _ in }
  ) async -> Result<Response, NetworkError> {
    let session = Session(configuration: .ephemeral, redirectHandler: handler)
    return await NetworkProvider<LoopbackTarget>(session: session).result(
      LoopbackTarget(server, path).with(change))
  }

  @Test("a handler that makes a GET of a POST removes a body that it cannot see", arguments: [false, true])
  func removedBody(isFile: Bool) async throws {
    let folder = try TemporaryFolder()
    let data = Data("body".utf8)
    let file = try folder.file(containing: data)
    let handler = Redirector.modify { _, request, _ in
      var next = request
      next.httpMethod = "GET"
      next.httpBody = nil
      return next
    }
    let response = try await fetch("/1", handler) {
      $0.method = .post
      $0.task = isFile ? .uploadFile(file) : .requestData(data)
    }.get()
    #expect(try response.mapString() == "GET ")
    #expect(server.log.requests.map(\.text) == ["body", ""])
  }

  @Test("a handler that changes the method keeps a body that it can see, and no field of a removed one")
  func keptBody() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.file(containing: Data("body".utf8))
    let handler = Redirector.modify { _, request, _ in
      var next = request
      next.httpMethod = "DELETE"
      return next
    }
    for task in [HTTPTask.requestData(Data("body".utf8)), .uploadFile(file)] {
      _ = try await fetch("/1", handler) {
        $0.method = .post
        $0.headers = ["Content-Type": "text/x"]
        $0.task = task
      }.get()
    }
    let sent = server.log.requests.filter { $0.method == "DELETE" }
    #expect(sent.map(\.text) == ["body", ""])
    #expect(sent.map { $0.headers["Content-Type"] } == ["text/x", nil])
  }

  @Test("the built-in handlers follow, decline, or call a closure")
  func builtIn() async throws {
    for (handler, status) in [
      (.follow, 200), (.doNotFollow, 307), (Redirector(behavior: .follow), 200),
      (Redirector(behavior: .doNotFollow), 307), (.modify { _, _, _ in nil }, 307),
      (.modify { _, request, _ in request }, 200), (DroppingHandler(), 307),
    ] as [(any RedirectHandler, Int)] {
      let response = try await fetch("/2", handler).get()
      #expect(response.statusCode == status)
      #expect(try response.mapString() == (status == 200 ? "GET " : "moved"))
    }
  }

  @Test("a closure receives the original request, and may restore or change any part of the next one")
  func modify() async throws {
    let other = try LoopbackServer { request in
      .text("\(request.method) \(request.headers["Authorization"] ?? "-") \(request.text)")
    }
    server.route("/away") { [origin = other.origin] _ in .redirect(to: "\(origin)/b", status: 307) }
    let log = Log()
    let result = await fetch(
      "/away",
      .modify { task, request, response in
        log("\(task.originalRequest?.url?.path ?? "") \(task.currentRequest?.url?.path ?? "")")
        log(
          "\(request.url?.path ?? "") \(response.statusCode) \(response.value(forHTTPHeaderField: "Location") ?? "")"
        )
        log(request.value(forHTTPHeaderField: "Authorization") ?? "-")
        task.cancel()
        var request = request
        let secret = task.originalRequest?.value(forHTTPHeaderField: "Authorization")
        request.setValue(secret, forHTTPHeaderField: "Authorization")
        request.httpBody = Data("other".utf8)
        return request
      },
      {
        $0.method = .put
        $0.headers = ["Authorization": "Bearer t"]
        $0.task = .requestData(Data("one".utf8))
      })
    #expect(try result.get().mapString() == "PUT Bearer t other")
    #expect(log.all == ["/away /away", "/b 307 \(other.origin)/b", "-"])
  }

  @Test("cookies in several fields stay with their origin if a handler changes another field and the origin")
  func severalCookies() async throws {
    let other = try LoopbackServer { .text("\($0.headers["Cookie"] ?? "none") \($0.headers["X-A"] ?? "-")") }
    let handler = Redirector.modify { [origin = other.origin] _, request, _ in
      var next = request
      next.url = URL(string: origin)
      next.setValue("new", forHTTPHeaderField: "X-A")
      return next
    }
    let session = Session(configuration: .ephemeral, redirectHandler: handler)
    let cookies = [HTTPHeader(name: "Cookie", value: "a=1"), HTTPHeader(name: "Cookie", value: "b=2")]
    let request = TransportRequest(url: "\(server.origin)/1", headers: HTTPHeaders(received: cookies))
    #expect(await session.exchange(request).body == Data("none new".utf8))
    #expect(other.log.requests.count == 1)
  }

  @Test("at each redirect of a chain, a handler sees the original request and the redirected one")
  func chain() async throws {
    let log = Log()
    let handler = Redirector.modify { task, request, _ in
      let urls = [task.originalRequest?.url, task.currentRequest?.url, request.url]
      log(urls.map { $0?.path ?? "" }.joined(separator: " "))
      return request
    }
    #expect(try await fetch("/3", handler).get().statusCode == 200)
    #expect(log.all == ["/3 /3 /2", "/3 /2 /1", "/3 /1 /0"])
  }

  @Test("a handler that changes no field keeps their order")
  func orderOfFields() {
    let transport = ScriptedTransport { transfer in
      guard transfer.request.url == "http://h/a" else { return transfer.respond(204) }
      transfer.respond(307, headers: ["Location": "/b"])
    }
    let recorder = TransferRecorder()
    let request = TransportRequest(url: "http://h/a", headers: ["X-B": "1", "X-A": "2"])
    let handler = Redirector.modify { _, request, _ in request }
    let token = Session(transport: transport, redirectHandler: handler)
      .start(request, handler: recorder.record)
    #expect(recorder.events.status == 204)
    let names = transport.transfers.map { $0.request.headers.map(\.name).filter { $0.hasPrefix("X-") } }
    #expect(names == [["X-B", "X-A"], ["X-B", "X-A"]])
    withExtendedLifetime(token) {}
  }

  @Test("the target of a redirect may use an open connection, although the request asked for a new one")
  func newConnection() {
    let transport = ScriptedTransport { transfer in
      if transfer.request.url == "http://h/a" { transfer.respond(302, headers: ["Location": "/b"]) }
    }
    var request = TransportRequest(url: "http://h/a")
    request.needsNewConnection = true
    let recorder = TransferRecorder()
    let token = Session(transport: transport, redirectHandler: .follow)
      .start(request, handler: recorder.record)
    #expect(transport.transfers.map(\.request.url) == ["http://h/a", "http://h/b"])
    #expect(transport.transfers.map(\.request.needsNewConnection) == [true, false])
    transport.transfers.last?.send(.finished(nil))
    withExtendedLifetime(token) {}
  }

  @Test("if a handler names another origin, credentials are removed, also those that it cannot see")
  func elsewhere() async throws {
    let other = try LoopbackServer { request in
      .text(["Authorization", "Cookie", "X-Own"].map { request.headers[$0] ?? "-" }.joined(separator: " "))
    }
    let handler = Redirector.modify { _, request, _ in
      var request = request
      request.url = URL(string: other.origin)
      return request
    }
    let session = Session(configuration: .ephemeral, redirectHandler: handler)
    for credential in [nil, CurlConfiguration.Credential.bearer(token: "t")] {
      var request = TransportRequest(url: "\(server.origin)/1", headers: ["Cookie": "a=b", "X-Own": "c"])
      if credential == nil { request.headers["Authorization"] = "Bearer t" }
      request.credential = credential
      #expect(await session.exchange(request).body == Data("- - c".utf8))
    }
  }

  @Test("a streamed body is sent again, and fields forged by the closure are rejected")
  func bodies() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("body", containing: Data("from a file".utf8))
    let sent = await fetch("/2", .modify { _, request, _ in request }) {
      $0.method = .post
      $0.task = .uploadFile(file)
    }
    #expect(try sent.get().mapString() == "POST from a file")
    let forged = await fetch(
      "/1",
      .modify { _, request, _ in
        var request = request
        request.url = URL(string: "file:///etc/passwd")
        return request
      })
    #expect(forged.summary == "\(TransferError.unsupportedURL("file:///etc/passwd"))")
  }

  @Test("sixteen redirects are followed, whatever the handler returns")
  func limit() async throws {
    let follow = Redirector.modify { _, request, _ in request }
    #expect(try await fetch("/16", follow).get().statusCode == 200)
    #expect(await fetch("/17", follow).summary == "\(TransferError.tooManyRedirects(limit: 16))")
  }

  @Test("followed redirects are counted, and the number of sent bytes never decreases")
  func counts() async throws {
    let follow = Redirector.modify { _, request, _ in request }
    let session = Session(configuration: .ephemeral, redirectHandler: follow)
    var request = TransportRequest(
      method: .put, url: "\(server.origin)/2", body: .data(Data(count: 300_000)), reportsProgress: true)
    request.reportsMetrics = true
    let events = await session.exchange(request)
    #expect(events.status == 200)
    #expect(events.metrics?.redirects == 2)
    #expect(events.sent.last == 300_000)
    #expect(events.sent == events.sent.sorted())
    #expect(Set(events.sent).count == events.sent.count)
    let decline = Redirector.modify { _, _, _ in nil }
    let declined = Session(configuration: .ephemeral, redirectHandler: decline)
    #expect(await declined.exchange(request).metrics?.redirects == 0)
  }

  @Test("a handler may decide later, and only its first decision about each redirect counts")
  func later() async throws {
    let handler = DeferringHandler()
    let session = Session(configuration: .ephemeral, redirectHandler: handler)
    let provider = NetworkProvider<LoopbackTarget>(session: session)
    let ending = CompletionStream()
    provider.request(LoopbackTarget(server, "/2"), completion: ending.completion)
    let first = await handler.next()
    first()
    first()
    let second = await handler.next()
    first()
    second()
    #expect(try await ending.next().get().statusCode == 200)
    #expect(server.log.requests.map(\.path) == ["/2", "/1", "/0"])
  }

  @Test("a cancellation while the handler decides ends the transfer at once, and its decision is ignored")
  func cancel() async throws {
    let handler = DeferringHandler()
    let session = Session(configuration: .ephemeral, redirectHandler: handler)
    let (transfer, recorder) = session.record(.init(url: "\(server.origin)/1"))
    let decision = await handler.next()
    transfer.cancel()
    #expect(await recorder.waitForEnd().error == .cancelled)
    decision()
    #expect(recorder.events.errors.count == 1)
    #expect(server.log.requestCount == 1)
  }

  @Test("a cancellation reaches the redirected request, also if the redirect arrived before start returned")
  func cancelAfter() {
    let transport = ScriptedTransport { transfer in
      if transfer.request.url == "http://h/a" { transfer.respond(302, headers: ["Location": "/b"]) }
    }
    let session = Session(transport: transport, redirectHandler: .follow)
    let recorder = TransferRecorder()
    let token = session.start(.init(url: "http://h/a"), handler: recorder.record)
    #expect(transport.transfers.map(\.request.url) == ["http://h/a", "http://h/b"])
    token.cancel()
    #expect(transport.transfers.map(\.cancelCount) == [0, 1])
    transport.transfers[1].send(.finished(nil))
    #expect(recorder.events.error == .cancelled)
  }

  @Test("the caller's limit applies to the response, and to a redirect only if the handler declines it")
  func bodyLimit() async throws {
    let page = String(repeating: "x", count: 150)
    server.route("/short") { _ in .text(page, status: 302).header("Location", "/0") }
    server.route("/long") { _ in .text(page, status: 302).header("Location", "/page") }
    server.route("/page") { _ in .text(page) }
    func fetch(_ path: String, _ limit: Int, follows: Bool) async -> TransferRecorder.Events {
      let handler = Redirector.modify { _, request, _ in follows ? request : nil }
      return await Session(configuration: .ephemeral, redirectHandler: handler)
        .exchange(.init(url: server.origin + path, responseBodyLimit: limit))
    }
    let short = await fetch("/short", 100, follows: true)
    #expect(short.error == nil)
    #expect(short.body == Data("GET ".utf8))
    let long = await fetch("/long", 150, follows: true)
    #expect(long.error == nil)
    #expect(long.body == Data(page.utf8))
    let tooLong = await fetch("/long", 149, follows: true)
    #expect(tooLong.error == .responseTooLarge(limit: 149))
    #expect(tooLong.body.count <= 149)
    let declined = await fetch("/short", 150, follows: false)
    #expect(declined.error == nil)
    #expect(declined.status == 302)
    #expect(declined.body == Data(page.utf8))
    let tooLongDeclined = await fetch("/short", 149, follows: false)
    #expect(tooLongDeclined.error == .responseTooLarge(limit: 149))
    #expect(tooLongDeclined.status == nil)
  }

  @Test("the handler does not wait for the end of an endless redirect body")
  func endless() async throws {
    server.route("/endless") { _ in
      .text(String(repeating: "x", count: 2 << 20), status: 302).header("Location", "/0")
    }
    let result = await fetch("/endless", .modify { _, request, _ in request })
    #expect(result.summary == "\(RedirectPolicy.bodyTooLong)")
    #expect(server.log.requestCount == 1)
  }

  @Test("a redirect that the handler cannot be asked about is an error, and not the response")
  func unshowable() {
    let transport = ScriptedTransport {
      $0.send(
        .head(ResponseHead(statusCode: 302, url: "", headers: ["Location": "/b"])), .finished(nil))
    }
    let recorder = TransferRecorder()
    let handler = Redirector.modify { _, request, _ in request }
    _ = Session(transport: transport, redirectHandler: handler)
      .start(.init(url: "http://h/a"), handler: recorder.record)
    #expect(recorder.events.error == .unsupportedURL(""))
    #expect(recorder.events.status == nil)
  }

  @Test("the token of a transfer that has ended keeps no body of its requests", arguments: [303, 307])
  func releasedBody(status: Int) {
    let transport = ScriptedTransport { transfer in
      guard transfer.request.url == "http://h/a" else { return transfer.respond(204) }
      transfer.respond(status, headers: ["Location": "/b"])
    }
    let recorder = TransferRecorder()
    weak var kept: BodyStream?
    let start: () -> any Cancellable = {
      let body = BodyStream(pieces: [])
      kept = body
      let request = TransportRequest(method: .put, url: "http://h/a", body: .stream(body))
      return Session(transport: transport, redirectHandler: .follow)
        .start(request, handler: recorder.record)
    }
    let token = start()
    #expect(recorder.events.status == 204)
    let methods: [HTTPMethod] = [.put, status == 303 ? .get : .put]
    #expect(transport.transfers.map(\.request.method) == methods)
    transport.forget()
    #expect(kept == nil)
    withExtendedLifetime(token) {}
  }

  @Test("the handler does not wait for an endless redirect body that arrived before start returned")
  func endlessAtOnce() {
    let transport = ScriptedTransport {
      $0.send(
        .head(ResponseHead(statusCode: 302, url: "http://h/a", headers: ["Location": "/b"])),
        .body(Data(count: 2 << 20)))
    }
    let recorder = TransferRecorder()
    _ = Session(transport: transport, redirectHandler: .follow)
      .start(.init(url: "http://h/a"), handler: recorder.record)
    #expect(recorder.events.error == RedirectPolicy.bodyTooLong)
    #expect(transport.transfers.map(\.isCancelled) == [true])
    transport.finish()
  }
}
