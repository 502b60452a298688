import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Redirects", .timeLimit(.minutes(5)))
struct RedirectTests {
  @Test(
    "method and body of the next request depend on the status", arguments: TransportKind.allCases,
    [
      (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"),
      (308, "POST", "POST"),
      (301, "PUT", "PUT"), (302, "PUT", "PUT"), (303, "PUT", "GET"), (307, "PUT", "PUT"), (308, "PUT", "PUT"),
      (302, "GET", "GET"), (303, "HEAD", "HEAD"), (302, "DELETE", "DELETE"), (303, "DELETE", "GET"),
    ])
  func rules(kind: TransportKind, rule: (status: Int, before: String, after: String)) async throws {
    let server = try LoopbackServer { _ in .text("there") }
    server.route("/from") { _ in .redirect(to: "/to?q=1", status: rule.status) }
    let hasBody = rule.before == "POST" || rule.before == "PUT"
    let body = Data(repeating: 7, count: 100_000)
    let events = await (try kind.make()).exchange(
      .init(
        method: .init(rawValue: rule.before), url: "\(server.origin)/from",
        headers: ["Authorization": "mine", "Content-Type": "a/b"], body: hasBody ? .data(body) : .none))
    #expect(events.error == nil)
    #expect(events.heads == 1)
    #expect(events.status == 200)
    #expect(events.head?.url == "\(server.origin)/to?q=1")
    let seen = try #require(server.log.requests.last)
    #expect(server.log.requests.map(\.method) == [rule.before, rule.after])
    #expect(seen.headers["Authorization"] == "mine")
    let keepsBody = hasBody && rule.before == rule.after
    // Compared outside #expect, because a mismatch would print 100,000 bytes.
    let isExpected = seen.body == (keepsBody ? body : Data())
    #expect(isExpected)
    #expect(seen.headers["Content-Type"] == (rule.before == rule.after ? "a/b" : nil))
  }

  @Test("a large body that is sent again does not count as idle, and is not delayed")
  func largeBody() async throws {
    let server = try LoopbackServer { _ in .text("there") }
    server.route("/from") { _ in .redirect(to: "/to", status: 307) }
    let body = Data(repeating: 7, count: 32 << 20)
    let events = await (try CurlTransport()).exchange(
      .init(method: .put, url: "\(server.origin)/from", body: .data(body)))
    #expect(events.error == nil)
    #expect(server.log.requests.map(\.body.count) == [body.count, body.count])
  }

  @Test(
    "credentials, trace contexts and conditions are not sent to another host or port",
    arguments: TransportKind.allCases)
  func credentials(kind: TransportKind) async throws {
    let other = try LoopbackServer { _ in .text("there") }
    let server = try LoopbackServer { _ in .text("same") }
    let otherHost = "http://localhost:\(server.port)/there"
    let otherPort = "\(other.origin)/there"
    server.route("/host") { _ in .redirect(to: otherHost) }
    server.route("/port") { _ in .redirect(to: otherPort, status: 307) }
    let transport = try kind.make()
    let foreign: HTTPHeaders = [
      "Authorization": "secret", "Cookie": "a=b", "traceparent": "00-1-2-01", "tracestate": "a=1",
      "baggage": "user=me", "If-None-Match": "\"1\"", "If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT",
    ]
    var headers = foreign
    headers["X-Other"] = "kept"
    for path in ["/host", "/port"] {
      let events = await transport.exchange(.init(url: server.origin + path, headers: headers))
      #expect(events.error == nil)
      let seen = try #require((path == "/host" ? server : other).log.requests.last)
      #expect(seen.path == "/there")
      #expect(seen.headers["X-Other"] == "kept")
      for field in foreign {
        #expect(seen.headers[field.name] == nil)
        #expect(server.log.requests.first?.headers[field.name] == field.value)
      }
    }
  }

  @Test(
    "what another origin did not receive does not come back with a redirect to the first one",
    arguments: TransportKind.allCases)
  func thereAndBack(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .text("home") }
    let home = server.origin
    let other = try LoopbackServer { _ in .redirect(to: "\(home)/home", status: 307) }
    let away = other.origin
    server.route("/from") { _ in .redirect(to: "/next", status: 307) }
    server.route("/next") { _ in .redirect(to: away, status: 307) }
    let foreign: HTTPHeaders = [
      "Authorization": "secret", "traceparent": "00-1-2-01", "tracestate": "a=1", "baggage": "user=me",
      "If-None-Match": "\"1\"", "If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT",
    ]
    let events = await (try kind.make()).exchange(.init(url: "\(home)/from", headers: foreign))
    #expect(events.body == Data("home".utf8))
    #expect(server.log.requests.map(\.path) == ["/from", "/next", "/home"])
    for (seen, isSent) in zip(server.log.requests + other.log.requests, [true, true, false, false]) {
      for field in foreign { #expect(seen.headers[field.name] == (isSent ? field.value : nil)) }
    }
  }

  @Test("sixteen redirects are followed, and a loop ends", arguments: TransportKind.allCases)
  func limit(kind: TransportKind) async throws {
    let server = try LoopbackServer { request in
      let left = Int(request.path.dropFirst()) ?? 99
      return left == 0 ? .text("there") : .redirect(to: left == 99 ? "/99" : "/\(left - 1)")
    }
    let transport = try kind.make()
    let sixteen = await transport.exchange(.init(url: "\(server.origin)/16"))
    #expect(sixteen.error == nil)
    #expect(sixteen.body == Data("there".utf8))
    for path in ["/17", "/99"] {
      let more = await transport.exchange(.init(url: server.origin + path))
      #expect(more.error == .tooManyRedirects(limit: 16))
      #expect(more.heads == 0)
    }
  }

  @Test(
    "redirects to other schemes are refused", arguments: TransportKind.allCases,
    ["file:///etc/passwd", "gopher://127.0.0.1/", "ftp://127.0.0.1/", "data:,x"])
  func scheme(kind: TransportKind, location: String) async throws {
    let server = try LoopbackServer { _ in .redirect(to: location) }
    let events = await (try kind.make()).exchange(.init(url: server.origin))
    guard case .redirectRefused(location, _) = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
    #expect(events.heads == 0)
  }

  @Test(
    "a redirect status without a location is a response; URLSession loses its body",
    arguments: TransportKind.allCases)
  func noLocation(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .text("nowhere", status: 302) }
    let events = await (try kind.make()).exchange(.init(url: server.origin))
    #expect(events.error == nil)
    #expect(events.status == 302)
    if kind == .curl { #expect(events.body == Data("nowhere".utf8)) }
  }

  /// Locations relative to `/a/b?c#d/e`: the resulting URL without its origin, and the target sent.
  private static let locations = [
    ("#x", "/a/b?c#x", "/a/b?c"), ("#x/y", "/a/b?c#x/y", "/a/b?c"),
    ("?q", "/a/b?q#d/e", "/a/b?q"), ("?q#x", "/a/b?q#x", "/a/b?q"), ("f", "/a/f#d/e", "/a/f"),
    ("./", "/a/#d/e", "/a/"),
  ]

  /// Returns a transport that follows redirects, and for `CurlTransport` also one with a redirect handler.
  private func transports(_ kind: TransportKind) throws -> [any Transport] {
    let handled = Session(
      configuration: .ephemeral, redirectHandler: .modify { _, request, _ in request })
    return kind == .curl ? [try kind.make(), handled] : [try kind.make()]
  }

  @Test(
    "a fragment refers to the same resource and a query to its path, and the request's fragment is inherited",
    arguments: TransportKind.allCases, locations)
  func relativeLocation(kind: TransportKind, reference: (location: String, url: String, target: String))
    async throws
  {
    let isFirst = Lock(true)
    let server = try LoopbackServer { _ in
      let isFirst = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      return isFirst ? .redirect(to: reference.location) : .text("there")
    }
    for transport in try transports(kind) {
      isFirst.withLock { $0 = true }
      let events = await transport.exchange(.init(url: "\(server.origin)/a/b?c#d/e"))
      #expect(events.body == Data("there".utf8))
      #expect(events.head?.url == server.origin + reference.url)
      #expect(server.log.requests.last?.target == reference.target)
    }
    #expect(server.log.requestCount == (kind == .curl ? 4 : 2))
  }

  @Test(
    "of several locations, the first with a value counts, or libcurl refuses the response",
    arguments: [["", "/to"], ["/to", "/to"], ["/to", "/elsewhere"]])
  func severalLocations(locations: [String]) async throws {
    let server = try LoopbackServer { request in
      guard request.path == "/from" else { return .text(request.target) }
      return locations.reduce(.text("moved", status: 302)) { $0.header("Location", $1) }
    }
    for transport in try transports(.curl) {
      let events = await transport.exchange(.init(url: "\(server.origin)/from"))
      // libcurl 8.23 refuses different ones.
      if case .badServerResponse? = events.error, Set(locations).count > 1 { continue }
      #expect(events.body == Data("/to".utf8), "\(String(describing: events.error))")
    }
  }

  @Test("bytes of a location that are not UTF-8 are percent-encoded, and letters that are UTF-8, too")
  func otherBytes() async throws {
    let server = try LoopbackServer { request in
      switch request.path {
      case "/latin1":
        .raw("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /a".utf8 + [0xE9] + "\r\n\r\n".utf8)
      case "/utf8": .raw("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /a\u{E9}\r\n\r\n".utf8)
      default: .text(request.target)
      }
    }
    for transport in try transports(.curl) {
      #expect(await transport.exchange(.init(url: "\(server.origin)/latin1")).body == Data("/a%E9".utf8))
      #expect(await transport.exchange(.init(url: "\(server.origin)/utf8")).body == Data("/a%C3%A9".utf8))
    }
  }

  @Test(
    "the first Location counts, in the encoding of its own line",
    arguments: [
      ([0xC5, 0x81], [0xE9], "%C5%81"), ([0xC3, 0xA9], [0xE8], "%C3%A9"), ([0xE9], [0xC5, 0x81], "%E9"),
    ] as [([UInt8], [UInt8], String)])
  func encodings(first: [UInt8], second: [UInt8], target: String) async {
    let lines = [first, second].flatMap { Array("Location: /".utf8) + $0 + Array("\r\n".utf8) }
    let wire = ScriptedTransport { $0.redirect(lines) }
    let session = Session(transport: wire, redirectHandler: .follow)
    #expect(await session.exchange(.init(url: "http://h/")).status == 204)
    #expect(wire.transfers.map(\.request.url) == ["http://h/", "http://h/\(target)"])
  }

  @Test("a stored Location has the encoding in which it was received, also after a 304")
  func storedEncoding() async throws {
    let fields = "ETag: \"1\"\r\nCache-Control: max-age=0\r\nLocation: /"
    let lines = Array(fields.utf8) + [0xE9] + Array("\r\n".utf8)
    let wire = ScriptedTransport { $0.redirect(lines) }
    let session = Session(
      transport: CachingTransport(wire, cache: try HTTPCache()), redirectHandler: .follow)
    for _ in 0..<2 { #expect(await session.exchange(.init(url: "http://h/")).status == 204) }
    let requests = wire.transfers.map(\.request)
    #expect(requests.map(\.url) == ["http://h/", "http://h/%E9", "http://h/", "http://h/%E9"])
    #expect(requests.map { $0.headers["If-None-Match"] } == [nil, nil, "\"1\"", nil])
  }

  @Test(
    "a host with other letters than ASCII is the same origin as its target",
    arguments: ["policy", "closure", "letters"])
  func internationalHost(decision: String) async throws {
    let server = try LoopbackServer { request in
      request.path == "/from" ? .redirect(to: "/to") : .text(request.headers["Authorization"] ?? "-")
    }
    var configuration = CurlConfiguration()
    configuration.names.overrides = [
      .init(host: "xn--bcher-kva.test", port: Int(server.port), addresses: ["127.0.0.1"])
    ]
    let letters = "http://b\u{FC}cher.test:\(server.port)/to"
    switch decision {
    case "closure": configuration.redirects = .modify { next, _ in next }
    case "letters":
      configuration.redirects = .modify { next, _ in
        var next = next
        next.url = letters
        return next
      }
    default: break
    }
    let events = await (try CurlTransport(configuration: configuration)).exchange(
      .init(
        url: "http://b\u{FC}cher.test:\(server.port)/from", headers: ["Authorization": "Bearer t"]))
    #expect(events.body == Data("Bearer t".utf8), "\(String(describing: events.error))")
  }

  @Test("a redirect that fails has its metrics")
  func metricsOfFailures() async throws {
    let server = try LoopbackServer { request in
      switch request.path {
      case "/refused": .redirect(to: "ftp://127.0.0.1/")
      case "/long": .repeating(7, count: 2 << 20).header("Location", "/").with(status: 302)
      default: .redirect(to: "/")
      }
    }
    for transport in try transports(.curl) {
      for path in ["/refused", "/long", "/loop"] where path != "/long" || transport is CurlTransport {
        var request = TransportRequest(url: server.origin + path)
        request.reportsMetrics = true
        let events = await transport.exchange(request)
        #expect(events.error != nil)
        #expect(events.metrics?.redirects == (path == "/loop" ? 16 : 0), "\(path)")
      }
    }
  }

  @Test("a redirect with a body of more than 1 MiB is an error of the server, whatever the caller's limit")
  func longBodyBelowAnyLimit() async throws {
    let server = try LoopbackServer { _ in
      .repeating(7, count: 2 << 20).header("Location", "/there").with(status: 302)
    }
    for transport in try transports(.curl) {
      for limit in [nil, 1_000, 4 << 20] {
        let events = await transport.exchange(.init(url: server.origin, responseBodyLimit: limit))
        #expect(events.error == RedirectPolicy.bodyTooLong)
      }
    }
  }

  @Test("a port that does not exist is refused as the server's, also if a closure has seen it")
  func invalidPort() async throws {
    let location = "http://127.0.0.1:99999/"
    let server = try LoopbackServer { _ in .redirect(to: location) }
    for transport in try transports(.curl) {
      let events = await transport.exchange(.init(url: server.origin))
      #expect(events.error == .redirectRefused(url: location, reason: "it is not a valid URL"))
    }
  }

  @Test("a redirect whose body is cut off is followed")
  func truncatedBody() async throws {
    let server = try LoopbackServer { request in
      guard request.path == "/from" else { return .text("there") }
      return .raw("HTTP/1.1 302 Found\r\nLocation: /to\r\nContent-Length: 9\r\n\r\nmoved".utf8)
    }
    for transport in try transports(.curl) {
      #expect(await transport.exchange(.init(url: "\(server.origin)/from")).body == Data("there".utf8))
    }
    var configuration = CurlConfiguration()
    configuration.redirects = .modify { _, _ in nil }
    let declined = await (try CurlTransport(configuration: configuration)).exchange(
      .init(url: "\(server.origin)/from"))
    #expect(declined.status == 302)
    #expect(declined.body == Data("moved".utf8))
    guard case .truncatedBody? = declined.error else {
      Issue.record("\(String(describing: declined.error))")
      return
    }
  }

  @Test("a redirect with an empty location is the response", arguments: TransportKind.allCases)
  func emptyLocation(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .text("nowhere", status: 302).header("Location", "") }
    for transport in try transports(kind) {
      let events = await transport.exchange(.init(url: server.origin))
      #expect(events.error == nil)
      #expect(events.status == 302)
      if kind == .curl { #expect(events.body == Data("nowhere".utf8)) }
    }
    #expect(server.log.requestCount == (kind == .curl ? 2 : 1))
  }

  @Test(
    "a relative location is resolved, its spaces are accepted, and the redirect's body is not delivered")
  func relative() async throws {
    let server = try LoopbackServer { _ in .text("there") }
    server.route("/a/b") { _ in .text("moved", status: 302).header("Location", "../c d") }
    let events = await (try CurlTransport()).exchange(.init(url: "\(server.origin)/a/b"))
    #expect(events.body == Data("there".utf8))
    #expect(events.head?.url == "\(server.origin)/c%20d")
    #expect(server.log.requests.last?.path == "/c d")
  }

  @Test("the Location of an informational response is ignored")
  func interimLocation() async throws {
    let server = try LoopbackServer { _ in
      .text("nowhere", status: 302).preceded(by: 103, headers: [("Location", "/to")])
    }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    #expect(events.error == nil)
    #expect(events.status == 302)
    #expect(events.body == Data("nowhere".utf8))
    #expect(server.log.requestCount == 1)
  }

  @Test("a redirect with a body of 1 MiB is followed, and one byte more is an error")
  func longestBody() async throws {
    let server = try LoopbackServer { request in
      guard let count = Int(request.path.dropFirst()) else { return .text("there") }
      return .repeating(7, count: count).header("Location", "/there").with(status: 302)
    }
    for transport in try transports(.curl) {
      let longest = await transport.exchange(.init(url: "\(server.origin)/1048576"))
      #expect(longest.body == Data("there".utf8), "\(String(describing: longest.error))")
      #expect(await transport.exchange(.init(url: "\(server.origin)/1048577")).error != nil)
    }
    #expect(server.log.requests.count { $0.path == "/there" } == 2)
  }

  @Test("a redirect with an endless body is an error")
  func endlessBody() async throws {
    let server = try LoopbackServer { _ in
      .repeating(7, count: 1 << 40).header("Location", "/there").with(status: 302)
    }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    guard case .badServerResponse = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
  }
}

extension ScriptedTransport.Transfer {
  /// Redirects a request for `http://h/` with these fields, or confirms the tag; responds to any other request.
  fileprivate func redirect(_ lines: [UInt8]) {
    guard request.url == "http://h/" else { return respond(204) }
    if let tag = request.headers["If-None-Match"] { return respond(304, headers: ["ETag": tag]) }
    send(
      .head(ResponseHead(statusCode: 302, url: request.url, httpVersion: nil, fieldLines: lines)),
      .finished(nil))
  }
}

extension LoopbackServer.Reply {
  fileprivate func with(status: Int) -> Self {
    var copy = self
    copy.status = status
    return copy
  }
}
