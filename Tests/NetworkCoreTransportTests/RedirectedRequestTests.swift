import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Requests that follow a redirect")
struct RedirectedRequestTests {
  private static let credentialFields = [
    "Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "X-Auth-Token", "Host",
  ]

  /// Redirects a request with a handler that follows; returns the sent requests and the events.
  private func redirect(
    _ request: TransportRequest, _ status: Int, to location: String
  ) -> (sent: [TransportRequest], events: TransferRecorder.Events) {
    let transport = ScriptedTransport { transfer in
      guard transfer.request.url == request.url else { return transfer.respond() }
      transfer.respond(status, headers: ["Location": location])
    }
    let recorder = TransferRecorder()
    let session = Session(transport: transport, redirectHandler: .modify { _, request, _ in request })
    _ = session.start(request, handler: recorder.record)
    return (transport.transfers.map(\.request), recorder.events)
  }

  @Test(
    "a field that describes the body is removed with it, and otherwise kept",
    arguments: [
      "Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Location",
      "Content-Range", "Content-MD5", "Content-Digest", "Repr-Digest", "Digest", "Last-Modified", "Expect",
    ])
  func content(name: String) throws {
    let request = TransportRequest(
      method: .post, url: "http://h/from", headers: [name: "4", "X-Own": "kept"],
      body: .data(Data("body".utf8)))
    let without = try #require(redirect(request, 303, to: "/to").sent.last)
    #expect(without.method == .get)
    #expect(without.body == .none)
    #expect(without.headers.map(\.name) == ["X-Own"])
    let with = try #require(redirect(request, 307, to: "/to").sent.last)
    #expect(with.method == .post)
    #expect(with.body == request.body)
    #expect(with.headers == request.headers)
  }

  /// Returns a request with all kinds of credentials for one origin.
  private func credentialed() -> TransportRequest {
    var request = TransportRequest(url: "http://h/from", headers: ["X-Own": "kept"])
    for name in Self.credentialFields { request.headers.add(HTTPHeader(name: name, value: "secret")) }
    request.credential = .bearer(token: "secret")
    return request
  }

  @Test(
    "no credential is sent to another scheme, host or port",
    arguments: [
      "https://h/to", "http://other/to", "http://h:81/to", "http://h.other/to", "http://h@other/to",
    ])
  func otherOrigin(location: String) throws {
    let sent = redirect(credentialed(), 302, to: location).sent
    #expect(sent.map(\.url) == ["http://h/from", location])
    let next = try #require(sent.last)
    #expect(next.headers.map(\.name) == ["X-Own"])
    #expect(next.credential == nil)
  }

  @Test(
    "another origin receives no trace context, and no condition that is not needed for correctness",
    arguments: [
      ("traceparent", .get, false), ("TraceState", .get, false), ("baggage", .post, false),
      ("b3", .get, false), ("x-b3-traceid", .get, false), ("uber-trace-id", .post, false),
      ("Sentry-Trace", .get, false), ("X-Amzn-Trace-Id", .get, false), ("X-Cloud-Trace-Context", .get, false),
      ("X-Datadog-Trace-Id", .get, false), ("X-B3-SpanId", .get, false), ("X-B3-ParentSpanId", .get, false),
      ("X-B3-Sampled", .get, false), ("X-B3-Flags", .get, false), ("x-datadog-parent-id", .get, false),
      ("x-datadog-sampling-priority", .get, false), ("x-datadog-origin", .get, false),
      ("x-datadog-tags", .get, false),
      ("If-None-Match", .get, false), ("if-modified-since", .get, false), ("If-Match", .get, false),
      ("If-Unmodified-Since", .head, false), ("If-Range", .get, true), ("Range", .get, true),
      ("If-Match", .put, true), ("If-None-Match", .put, true), ("If-Unmodified-Since", .delete, true),
      ("X-Own", .get, true),
    ] as [(String, HTTPMethod, Bool)])
  func conditions(name: String, method: HTTPMethod, isKept: Bool) throws {
    let request = TransportRequest(method: method, url: "http://h/from", headers: [name: "value"])
    let foreign = try #require(redirect(request, 307, to: "http://other/to").sent.last)
    #expect(foreign.headers == (isKept ? request.headers : [:]))
    #expect(redirect(request, 307, to: "/to").sent.last?.headers == request.headers)
    // A handler that leads to another origin gets the same.
    let transport = ScriptedTransport { transfer in
      guard transfer.request.url == "http://h/from" else { return transfer.respond() }
      transfer.respond(307, headers: ["Location": "/to"])
    }
    let handler = Redirector.modify { _, request, _ in
      var request = request
      request.url = URL(string: "http://other/to")
      return request
    }
    _ = Session(transport: transport, redirectHandler: handler).start(request) { _ in }
    #expect(transport.transfers.last?.request.url == "http://other/to")
    #expect(transport.transfers.last?.request.headers == foreign.headers)
  }

  @Test(
    "a 303 removes the conditions of the method that it replaces", arguments: ["/to", "http://other/to"])
  func conditionsOfPut(location: String) throws {
    let request = TransportRequest(
      method: .put, url: "http://h/from", headers: ["If-Match": "\"1\""], body: .data(Data("a".utf8)))
    let next = try #require(redirect(request, 303, to: location).sent.last)
    #expect(next.method == .get)
    #expect(next.headers.isEmpty)
  }

  @Test("a redirect removes the conditions of a cache, and those that are set afterwards follow the next one")
  func conditionsOfCache() throws {
    var request = TransportRequest(url: "http://h/a", headers: ["If-None-Match": "\"1\""])
    request.hasConditionsOfCache = true
    var next = try request.redirected(status: 307, to: "/b")
    #expect(next.headers.isEmpty)
    next.headers["If-Match"] = "\"2\""
    #expect(try next.redirected(status: 307, to: "/c").headers == ["If-Match": "\"2\""])
  }

  @Test(
    "the same origin receives the credentials, however it is spelled",
    arguments: ["http://h/to", "http://h:80/to", "HTTP://H/to", "http://me@h/to"])
  func sameOrigin(location: String) throws {
    let request = credentialed()
    let sent = redirect(request, 302, to: location).sent
    #expect(sent.map { $0.url.lowercased() } == ["http://h/from", location.lowercased()])
    #expect(sent.last?.headers == request.headers)
    #expect(sent.last?.credential == request.credential)
  }

  @Test(
    "a handler does not see the credential, which is still sent with the next request to the origin",
    arguments: [.bearer(token: "secret"), .digest(user: "me", password: "secret")]
      as [CurlConfiguration.Credential])
  func unseen(credential: CurlConfiguration.Credential) {
    let transport = ScriptedTransport { transfer in
      guard transfer.request.url == "http://h/from" else { return transfer.respond() }
      transfer.respond(302, headers: ["Location": "/to"])
    }
    let seen = Lock([String?]())
    let handler = Redirector.modify { task, request, _ in
      seen.withLock {
        $0 += [task.originalRequest, task.currentRequest, request].map {
          $0?.value(forHTTPHeaderField: "Authorization")
        }
      }
      return request
    }
    var request = TransportRequest(url: "http://h/from")
    request.credential = credential
    _ = Session(transport: transport, redirectHandler: handler).start(request) { _ in }
    #expect(seen.withLock { $0 } == [nil, nil, nil])
    #expect(transport.transfers.map(\.request.credential) == [credential, credential])
    #expect(transport.transfers.last?.request.headers.isEmpty == true)
  }

  @Test("a secure request is not redirected to a plain one, even if the handler follows")
  func downgrade() {
    let (sent, events) = redirect(.init(url: "https://h/from"), 302, to: "http://h/to")
    #expect(sent.count == 1)
    guard case .redirectRefused("http://h/to", _)? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
    #expect(redirect(.init(url: "https://h/from"), 302, to: "/to").sent.map(\.url).last == "https://h/to")
  }

  @Test("a handler can change the method and remove the body")
  func otherMethod() throws {
    let transport = ScriptedTransport { transfer in
      guard transfer.request.url == "http://h/from" else { return transfer.respond() }
      transfer.respond(307, headers: ["Location": "/to"])
    }
    let handler = Redirector.modify { _, request, _ in
      var request = request
      request.httpMethod = "PUT"
      request.httpBody = nil
      return request
    }
    let request = TransportRequest(method: .post, url: "http://h/from", body: .data(Data("body".utf8)))
    _ = Session(transport: transport, redirectHandler: handler).start(request) { _ in }
    let next = try #require(transport.transfers.last).request
    #expect(next.url == "http://h/to")
    #expect(next.method == .put)
    #expect(next.body == .none)
  }

  @Test("the handler is not called after a cancellation")
  func cancelled() {
    let transport = ScriptedTransport()
    let log = Log()
    let session = Session(
      transport: transport,
      redirectHandler: .modify { _, request, _ in
        log("asked")
        return request
      })
    let recorder = TransferRecorder()
    let token = session.start(.init(url: "http://h/from"), handler: recorder.record)
    let first = transport.transfers[0]
    first.send(.head(ResponseHead(statusCode: 302, url: "http://h/from", headers: ["Location": "/to"])))
    token.cancel()
    first.send(.finished(nil))
    #expect(log.all.isEmpty)
    #expect(transport.transfers.count == 1)
    #expect(recorder.events.error == .cancelled)
    #expect(recorder.events.heads == 0)
  }

  @Test("only the metrics of the last exchange are reported", arguments: [true, false])
  func metrics(isFollowed: Bool) {
    let transport = ScriptedTransport { transfer in
      let isFirst = transfer.request.url == "http://h/from"
      var metrics = TransferMetrics()
      metrics.total = isFirst ? .seconds(1) : .seconds(2)
      transfer.send(
        .head(
          ResponseHead(
            statusCode: isFirst ? 302 : 200, url: transfer.request.url, headers: ["Location": "/to"])),
        .metrics(metrics), .finished(nil))
    }
    let log = Log()
    let session = Session(
      transport: transport, redirectHandler: .modify { _, request, _ in isFollowed ? request : nil })
    _ = session.start(.init(url: "http://h/from")) { event in
      switch event {
      case .head(let head): log("\(head.statusCode)")
      case .metrics(let metrics): log("\(metrics.total.components.seconds) s")
      case .finished(let error): log(error == nil ? "end" : "error")
      case .body, .sent: log("surplus")
      }
    }
    #expect(log.all == (isFollowed ? ["200", "2 s", "end"] : ["302", "1 s", "end"]))
  }
}
