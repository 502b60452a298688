import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

@Suite("Effects of a response on the stored response", .timeLimit(.minutes(5)))
struct CacheResponseHandlerTests {
  private let transport: CachingTransport

  /// Creates a server whose responses depend on the fields of the request; failures must not be stored.
  init() throws {
    let server = ScriptedTransport { transfer in
      let headers = transfer.request.headers
      let status = Int(headers["X-Status"] ?? "") ?? 200
      var fields: HTTPHeaders = [
        "Cache-Control": status == 200 ? "max-age=60, stale-if-error=100" : "no-store"
      ]
      for name in ["Location", "Content-Location"] { fields[name] = headers["X-\(name)"] }
      transfer.respond(
        status, headers: fields, String(repeating: "a", count: Int(headers["X-Count"] ?? "") ?? 5))
    }
    transport = CachingTransport(server, cache: try HTTPCache(memoryCapacity: 100_000))
  }

  private func fetch(
    _ url: String = "http://h/a", _ policy: TransportRequest.CachePolicy = .useProtocol,
    method: HTTPMethod = .get, limit: Int? = nil, headers: HTTPHeaders = [:]
  ) async -> TransferRecorder.Events {
    var request = TransportRequest(method: method, url: url, headers: headers, responseBodyLimit: limit)
    request.cachePolicy = policy
    return await transport.exchange(request)
  }

  private func isStored(_ url: String = "http://h/a") async -> Bool {
    await fetch(url, .storedOnly).error == nil
  }

  @Test(
    "the stored response replaces a response with status 500, 502, 503 or 504, and no other error response",
    arguments: [500, 502, 503, 504], [501, 505, 404, 429])
  func failing(failure: Int, refusal: Int) async {
    #expect(await fetch().status == 200)
    for (status, received) in [(failure, 200), (refusal, refusal)] {
      // The stored response is fresh for 60 seconds.
      let headers: HTTPHeaders = ["X-Status": "\(status)", "Cache-Control": "min-fresh=61"]
      #expect(await fetch(headers: headers).status == received)
    }
  }

  @Test("a response that must not be stored removes the stored one, unless it is a 500 or for HEAD")
  func replaced() async {
    #expect(await fetch().error == nil)
    #expect(await fetch("http://h/a", .reload, headers: ["X-Status": "500"]).status == 500)
    #expect(await isStored())
    #expect(await fetch("http://h/a", .reload, method: .head, headers: ["X-Status": "404"]).status == 404)
    #expect(await isStored())
    #expect(await fetch("http://h/a", .reload, headers: ["X-Status": "404"]).status == 404)
    #expect(await !isStored())
  }

  @Test(
    "a HEAD that fails, or that a redirect has led elsewhere, says nothing about the stored response",
    arguments: [(404, "http://h/a"), (200, "http://h/b")])
  func uselessHead(status: Int, url: String) async throws {
    let server = ScriptedTransport { transfer in
      guard transfer.request.method == .head else {
        return transfer.respond(headers: ["ETag": "\"1\"", "Cache-Control": "max-age=60"], "body")
      }
      transfer.send(
        .head(ResponseHead(statusCode: status, url: url, headers: ["ETag": "\"2\""])), .finished(nil))
    }
    let transport = CachingTransport(server, cache: try HTTPCache())
    #expect(await transport.exchange(.init(url: "http://h/a")).error == nil)
    let request = TransportRequest(method: .head, url: "http://h/a", headers: ["Cache-Control": "no-cache"])
    #expect(await transport.exchange(request).status == status)
    #expect(await transport.exchange(.init(url: "http://h/a")).body == Data("body".utf8))
    #expect(server.transfers.map(\.request.method) == [.get, .head])
  }

  @Test("a body of a tenth of the capacity is stored, and one byte more is not")
  func limit() async {
    #expect(await fetch("http://h/a", headers: ["X-Count": "10000"]).body.count == 10_000)
    #expect(await isStored())
    #expect(await fetch("http://h/b", headers: ["X-Count": "10001"]).body.count == 10_001)
    #expect(await !isStored("http://h/b"))
  }

  @Test("a body whose announced length is a tenth of the capacity is stored")
  func announcedLimit() async throws {
    let server = ScriptedTransport {
      $0.respond(
        headers: ["Cache-Control": "max-age=60", "Content-Length": "100"], String(repeating: "a", count: 100))
    }
    let transport = CachingTransport(server, cache: try HTTPCache(memoryCapacity: 1_000))
    for _ in 0..<2 { #expect(await transport.exchange(.init(url: "http://h/a")).body.count == 100) }
    #expect(server.transfers.count == 1)
  }

  @Test("a stored body as long as the request allows is used, and its length does not matter for HEAD")
  func requestLimit() async {
    #expect(await fetch().error == nil)
    #expect(await fetch("http://h/a", .storedOnly, limit: 5).body.count == 5)
    #expect(await fetch("http://h/a", .storedOnly, limit: 4).error == .responseTooLarge(limit: 4))
    #expect(await fetch("http://h/a", .storedOnly, method: .head, limit: 4).status == 200)
  }

  @Test(
    "only unsafe methods remove the stored response",
    arguments: [
      (.post, false), (.put, false), (.delete, false), (.patch, false), (.options, true), (.head, true),
      (.query, true), (.trace, true),
    ] as [(HTTPMethod, Bool)])
  func methods(method: HTTPMethod, isKept: Bool) async {
    #expect(await fetch().error == nil)
    #expect(await fetch(method: method).error == nil)
    #expect(await isStored() == isKept)
  }

  @Test(
    "an unsafe method that succeeds or is redirected removes the stored response, and one that fails does not",
    arguments: [(200, false), (299, false), (303, false), (399, false), (400, true), (500, true)])
  func outcomes(status: Int, isKept: Bool) async {
    #expect(await fetch().error == nil)
    #expect(await fetch(method: .post, headers: ["X-Status": "\(status)"]).status == status)
    #expect(await isStored() == isKept)
  }

  @Test("an unsafe method removes nothing of another server", arguments: ["Location", "Content-Location"])
  func otherServer(name: String) async {
    let others = ["http://other/b", "https://h/b", "http://h:81/b"]
    for url in ["http://h/b"] + others { #expect(await fetch(url).error == nil) }
    for url in ["/b"] + others {
      #expect(await fetch(method: .post, headers: ["X-\(name)": url]).error == nil)
    }
    #expect(await !isStored("http://h/b"))
    for url in others { #expect(await isStored(url), "\(url)") }
  }

  @Test(
    "the URL that a change names is that to which a redirect would lead",
    arguments: [
      ("http://h/a", "/{b}|c", "http://h/{b}|c"), ("http://h/a", "/b%20c d", "http://h/b%20c%20d"),
      ("http://h/a", "/\u{E9}", "http://h/%C3%A9"),
      ("http+unix://%2Fs/a", "http://localhost/b", "http+unix://%2Fs/b"),
    ])
  func namedURL(url: String, name: String, changed: String) async {
    #expect(await fetch(changed).error == nil)
    #expect(await fetch(url, method: .post, headers: ["X-Location": name]).error == nil)
    #expect(await !isStored(changed))
  }

  @Test(
    "an unsafe method that a redirect has led elsewhere removes the stored responses of both, whatever the end",
    arguments: [200, 404, 500])
  func redirectedChange(status: Int) async throws {
    let server = ScriptedTransport { transfer in
      guard transfer.request.method == .put else {
        return transfer.respond(headers: ["Cache-Control": "max-age=60"], "body")
      }
      transfer.send(
        .head(ResponseHead(statusCode: status, url: "http://h/elsewhere", headers: ["Location": "next"])),
        .finished(nil))
    }
    let transport = CachingTransport(server, cache: try HTTPCache())
    let urls = ["http://h/a", "http://h/elsewhere", "http://h/next"]
    for url in urls { #expect(await transport.exchange(.init(url: url)).error == nil) }
    #expect(await transport.exchange(.init(method: .put, url: "http://h/a")).status == status)
    for url in urls {
      var request = TransportRequest(url: url)
      request.cachePolicy = .storedOnly
      #expect(await transport.exchange(request).error == .notStored(url: url))
    }
  }

  @Test(
    "a stored response is used for a server that cannot be reached, and not if it or the request is rejected",
    arguments: [
      (.connectionLost(reason: ""), true), (.timedOut(after: .seconds(1)), true),
      (.certificate(problem: .selfSigned, host: "h", reason: ""), false),
      (.redirectRefused(url: "u", reason: ""), false),
      (.invalidField(name: "a", value: "\n"), false), (.notRecorded(method: "GET", url: "u"), false),
    ] as [(TransferError, Bool)])
  func unreachable(error: TransferError, isUsed: Bool) async throws {
    let isDown = Lock(false)
    let server = ScriptedTransport { transfer in
      if isDown.withLock({ $0 }) { return transfer.send(.finished(error)) }
      transfer.respond(headers: ["Cache-Control": "max-age=0, stale-if-error=100"], "body")
    }
    let transport = CachingTransport(server, cache: try HTTPCache())
    #expect(await transport.exchange(.init(url: "http://h/a")).error == nil)
    isDown.withLock { $0 = true }
    #expect(await transport.exchange(.init(url: "http://h/a")).error == (isUsed ? nil : error))
  }

  @Test("a 304 for another URL, after a redirect, does not affect the stored response")
  func redirected() async throws {
    let server = ScriptedTransport { transfer in
      if transfer.request.headers["If-None-Match"] != nil {
        transfer.send(
          .head(ResponseHead(statusCode: 304, url: "http://h/elsewhere", headers: ["ETag": "\"1\""])),
          .finished(nil))
      } else {
        transfer.respond(headers: ["ETag": "\"1\"", "Cache-Control": "no-cache"], "body")
      }
    }
    let transport = CachingTransport(server, cache: try HTTPCache())
    for _ in 0..<2 {
      let events = await transport.exchange(.init(url: "http://h/a"))
      #expect(events.status == 200)
      #expect(events.body == Data("body".utf8))
    }
    #expect(server.transfers.map { $0.request.headers["If-None-Match"] } == [nil, "\"1\"", nil])
  }
}
