import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Exchanges", .timeLimit(.minutes(5)))
struct ExchangeTests {
  @Test("a small response arrives as one head, one piece and one end", arguments: TransportKind.allCases)
  func small(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .json(#"{"ok":true}"#).header("X-Note", "as sent") }
    let events = await (try kind.make()).exchange(.init(url: "\(server.origin)/a?b=c"))
    #expect(events.error == nil)
    #expect(events.heads == 1)
    #expect(events.head?.url == "\(server.origin)/a?b=c")
    #expect(events.head?.headers["x-note"] == "as sent")
    #expect(events.pieces == [Data(#"{"ok":true}"#.utf8)])
    #expect(server.log.requests.map(\.target) == ["/a?b=c"])
  }

  @Test(
    "a status of any value is not an error", arguments: TransportKind.allCases,
    [200, 304, 404, 418, 500, 503])
  func status(kind: TransportKind, code: Int) async throws {
    let server = try LoopbackServer { _ in .status(code) }
    let events = await (try kind.make()).exchange(.init(url: server.origin))
    #expect(events.error == nil)
    #expect(events.status == code)
    #expect(events.pieces.isEmpty)
  }

  @Test("a response of an old server has the version HTTP/1.0")
  func oldVersion() async throws {
    let server = try LoopbackServer { _ in .raw("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8) }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    #expect(events.body == Data("ok".utf8))
    #expect(events.head?.httpVersion == .http1_0)
  }

  @Test("204 and HEAD have no body", arguments: TransportKind.allCases)
  func bodiless(kind: TransportKind) async throws {
    let server = try LoopbackServer { $0.method == "HEAD" ? .text("12345") : .status(204) }
    let transport = try kind.make()
    let noContent = await transport.exchange(.init(url: server.origin))
    #expect(noContent.error == nil)
    #expect(noContent.status == 204)
    let head = await transport.exchange(.init(method: .head, url: server.origin))
    #expect(head.error == nil)
    #expect(head.head?.headers["Content-Length"] == "5")
    #expect(head.pieces.isEmpty)
  }

  @Test("a body arrives complete, however it is framed", arguments: TransportKind.allCases)
  func framing(kind: TransportKind) async throws {
    let body = Data.megabyte
    let server = try LoopbackServer { _ in .status(404) }
    server.route("/length") { _ in .bytes(body) }
    server.route("/chunked") { _ in .bytes(body).chunked(size: 1_000) }
    server.route("/close") { _ in .bytes(body).endedByClosing() }
    server.route("/empty") { _ in .bytes([]).chunked() }
    let transport = try kind.make()
    for path in ["/length", "/chunked", "/close"] {
      let events = await transport.exchange(.init(url: server.origin + path))
      #expect(events.error == nil, "\(path)")
      // Compared outside #expect, because a mismatch would print a megabyte.
      let isWhole = events.body == body
      #expect(isWhole, "\(path)")
      #expect(events.pieces.allSatisfy { !$0.isEmpty }, "\(path)")
    }
    #expect(await transport.exchange(.init(url: "\(server.origin)/empty")).pieces.isEmpty)
  }

  @Test(
    "a body is sent byte for byte", arguments: TransportKind.allCases,
    [
      Data(), Data("hello".utf8), Data(Data.megabyte.prefix(65_536)), Data(Data.megabyte.prefix(65_537)),
      .megabyte,
    ])
  func upload(kind: TransportKind, body: Data) async throws {
    let server = try LoopbackServer { .text("\($0.bodyLength)") }
    let transport = try kind.make()
    for method in [HTTPMethod.post, .put, .patch, .delete] {
      let events = await transport.exchange(
        .init(method: method, url: server.origin, headers: ["Content-Type": "a/b"], body: .data(body)))
      #expect(events.error == nil)
      let seen = try #require(server.log.requests.last)
      #expect(seen.method == method.rawValue)
      let isWhole = seen.body == body
      #expect(isWhole)
      #expect(seen.headers["Content-Length"] == "\(body.count)")
      #expect(seen.headers["Content-Type"] == "a/b")
      #expect(seen.headers["Expect"] == nil)
    }
  }

  @Test("a slice of data is sent from its own start index")
  func slice() async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let slice = Data.megabyte[100_000..<300_000]
    let transport = try CurlTransport()
    _ = await transport.exchange(.init(method: .post, url: server.origin, body: .data(slice)))
    let isWhole = server.log.requests.last?.body == Data(slice)
    #expect(isWhole)
  }

  @Test("the number of sent bytes is reported, and rises to the body's length")
  func sent() async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let transport = try CurlTransport()
    for count in [1, 5_000, 1_048_576] {
      let body = Data(Data.megabyte.prefix(count))
      let events = await transport.exchange(
        .init(method: .put, url: server.origin, body: .data(body), reportsProgress: true))
      #expect(events.sent.last == Int64(count))
      #expect(events.sent == events.sent.sorted())
      #expect(Set(events.sent).count == events.sent.count)
    }
  }

  @Test("the number of sent bytes never falls, although the body is sent again over another connection")
  func sentAgain() async throws {
    let server = try LoopbackServer { $0.indexOnConnection == 1 ? .close : .text("ok") }
    var configuration = CurlConfiguration()
    // A transfer that follows redirects drops smaller numbers itself.
    configuration.redirects = .doNotFollow
    let transport = try CurlTransport(configuration: configuration)
    #expect(await transport.exchange(.init(url: server.origin)).error == nil)
    let body = Data(count: 8 << 20)
    let request = TransportRequest(
      method: .put, url: server.origin, body: .data(body), reportsProgress: true)
    // Another thread might get only the last number of both attempts.
    let events = await transport.exchange(request.deliveredOnLoop)
    #expect(events.error == nil)
    #expect(server.log.requestCount == 3)
    #expect(events.sent.last == Int64(body.count))
    #expect(events.sent == events.sent.sorted())
  }

  @Test("the number of sent bytes is not reported if it was not requested", arguments: TransportKind.allCases)
  func unaskedProgress(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let events = await (try kind.make()).exchange(
      .init(method: .put, url: server.origin, body: .data(Data(Data.megabyte))))
    #expect(events.error == nil)
    #expect(events.sent.isEmpty)
    #expect(server.log.requests.last?.bodyLength == Data.megabyte.count)
  }

  @Test(
    "a method that usually has content announces an empty body; with URLSession, other methods do too",
    arguments: TransportKind.allCases)
  func emptyContent(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let transport = try kind.make()
    for (method, length) in [
      (HTTPMethod.post, "0"), (.put, "0"), (.patch, "0"), (.get, nil), (.delete, nil), (.options, nil),
    ] where kind == .curl || length != nil {
      _ = await transport.exchange(.init(method: method, url: server.origin))
      #expect(server.log.requests.last?.method == method.rawValue)
      #expect(server.log.requests.last?.headers["Content-Length"] == length, "\(method)")
    }
  }

  @Test("a QUERY without content announces an empty body")
  func emptyQuery() async throws {
    let server = try LoopbackServer { _ in .status(200) }
    _ = await (try CurlTransport()).exchange(.init(method: .query, url: server.origin))
    #expect(server.log.requests.map { $0.headers["Content-Length"] } == ["0"])
  }

  @Test("URLSession joins the fields of one name")
  func joinedFields() async throws {
    let names = ["X-A", "Cookie", "Content-Length"]
    let server = try LoopbackServer { request in
      .text(names.map { request.headers.values(of: $0).joined(separator: "|") }.joined(separator: " "))
    }
    let fields =
      [("X-A", "1"), ("X-A", "2"), ("Cookie", "a=1"), ("cookie", "b=2")]
      + [("Content-Length", "1"), ("Content-Length", "1")]
    let transport = URLSessionTransport()
    let headers = HTTPHeaders(received: fields.map { HTTPHeader(name: $0.0, value: $0.1) })
    let request = TransportRequest(
      method: .put, url: server.origin, headers: headers, body: .data(Data("x".utf8)))
    let events = await transport.exchange(request)
    #expect(events.body == Data("1, 2 a=1; b=2 1".utf8))
    withExtendedLifetime(transport) {}
  }

  @Test("a GET can have a body, which URLSession refuses")
  func getWithBody() async throws {
    let server = try LoopbackServer { .text($0.text) }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin, body: .data(Data("q".utf8))))
    #expect(events.body == Data("q".utf8))
    #expect(server.log.requests.map(\.method) == ["GET"])
  }

  @Test("any token is a method, and its case is kept", arguments: TransportKind.allCases)
  func anyMethod(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .status(200) }
    _ = await (try kind.make()).exchange(.init(method: .init(rawValue: "x-Purge!"), url: server.origin))
    #expect(server.log.requests.map(\.method) == ["x-Purge!"])
  }

  @Test("fields are sent in order and unchanged, unlike with URLSession")
  func fields() async throws {
    let server = try LoopbackServer { _ in .status(200) }
    let transport = try CurlTransport()
    let sent: HTTPHeaders = [
      "x-b": "1", "Accept": "a/b", "X-Empty": "", "X-Blank": " \t", "x-A": " padded ", "X-Utf8": "äöü",
      "User-Agent": "me",
    ]
    _ = await transport.exchange(.init(url: server.origin, headers: sent))
    let seen = try #require(server.log.requests.last).headers
    for field in sent {
      #expect(seen[field.name] == field.value.trimmingCharacters(in: .whitespaces), "\(field.name)")
    }
    // The next request uses the same handle, but does not have the fields of this one.
    _ = await transport.exchange(.init(url: server.origin))
    let next = try #require(server.log.requests.last).headers
    #expect(next["x-b"] == nil)
    #expect(next["Accept"] == "*/*")
  }

  @Test("a request names program, library and languages; a configuration changes that or switches it off")
  func identity() async throws {
    let server = try LoopbackServer { _ in .status(200) }
    func receivedFields(_ headers: HTTPHeaders = [:], _ change: (inout CurlConfiguration) -> Void)
      async throws
      -> [String?]
    {
      var configuration = CurlConfiguration()
      change(&configuration)
      let transport = try CurlTransport(configuration: configuration)
      _ = await transport.exchange(.init(url: server.origin, headers: headers))
      let sent = try #require(server.log.requests.last).headers
      let names = ["User-Agent", "Accept-Language"]
      if headers.isEmpty { #expect(names.map { transport.defaultHeaders[$0] } == names.map { sent[$0] }) }
      #expect(sent["Accept-Encoding"] != nil)
      return names.map { sent[$0] }
    }
    let agent = HTTPHeader.defaultUserAgent.value
    let languages = HTTPHeader.defaultAcceptLanguage.value
    #expect(agent.hasPrefix(ProcessInfo.processInfo.processName))
    #expect(agent.contains(/\ ReactiveNetwork\/[0-9]+\.[0-9]+\.[0-9]+$/))
    #expect(!languages.isEmpty)
    #expect(try await receivedFields { _ in } == [agent, languages])
    #expect(try await receivedFields(["user-agent": "me"]) { _ in } == ["me", languages])
    #expect(try await receivedFields(["accept-language": "de"]) { _ in } == [agent, "de"])
    #expect(try await receivedFields { $0.userAgent = "crawler/2" } == ["crawler/2", languages])
    #expect(try await receivedFields { $0.userAgent = nil } == [nil, languages])
    #expect(try await receivedFields { $0.acceptLanguage = "" } == [agent, nil])
    #expect(try await receivedFields { ($0.userAgent, $0.acceptLanguage) = (nil, nil) } == [nil, nil])
  }

  @Test("a transport cannot be created with a User-Agent or Accept-Language that cannot be sent")
  func unusableIdentity() {
    for change in [
      { $0.userAgent = "a\r\nX: b" }, { $0.acceptLanguage = "de\n" },
    ] as [(inout CurlConfiguration) -> Void] {
      var configuration = CurlConfiguration()
      change(&configuration)
      #expect(throws: CurlConfigurationError.self) { try CurlTransport(configuration: configuration) }
    }
  }

  @Test("libcurl adds no Content-Type to a body without one")
  func noType() async throws {
    let server = try LoopbackServer { _ in .status(200) }
    _ = await (try CurlTransport()).exchange(
      .init(method: .post, url: server.origin, body: .data(Data("a=b".utf8))))
    #expect(server.log.requests.last?.headers["Content-Type"] == nil)
  }

  @Test(
    "informational responses and trailers are not delivered; URLSession stops the process at them")
  func interim() async throws {
    let server = try LoopbackServer { _ in
      .text("body").header("X-Final", "yes").chunked().trailer("X-Trailer", "t")
        .preceded(by: 103, headers: [("Link", "early")])
    }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    #expect(events.error == nil)
    #expect(events.heads == 1)
    #expect(events.status == 200)
    #expect(events.head?.headers["X-Final"] == "yes")
    #expect(events.head?.headers["Link"] == nil)
    #expect(events.head?.headers["X-Trailer"] == nil)
    #expect(events.body == Data("body".utf8))
  }

  @Test("unusual but valid heads are parsed")
  func unusualHeads() async throws {
    let server = try LoopbackServer { _ in
      .raw(
        Array("HTTP/1.1 299\r\nA:1\r\nB:  2  \r\nContent-Length:2\r\nC: ".utf8) + [0xE9]
          + Array("\r\n\r\nok".utf8))
    }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    #expect(events.error == nil)
    #expect(events.status == 299)
    #expect(events.head?.headers["a"] == "1")
    #expect(events.head?.headers["b"] == "2")
    #expect(events.head?.headers["c"] == "é")
    #expect(events.body == Data("ok".utf8))
  }

  @Test("invalid fields are parsed as intended")
  func forgivenFields() async throws {
    let server = try LoopbackServer { _ in
      .raw(
        "HTTP/1.1 200 OK\nFolded: a\n  b\n\tc\n: nameless\nSpaced : d\nContent-Length: 2,2\n\nok"
          .utf8)
    }
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    #expect(events.error == nil)
    let headers = try #require(events.head).headers
    #expect(headers.map(\.name) == ["Folded", "Spaced", "Content-Length"])
    #expect(headers.map(\.value) == ["a b c", "d", "2,2"])
    #expect(events.body == Data("ok".utf8))
  }

  @Test("a 401 without a credential is a normal response", arguments: TransportKind.allCases)
  func unauthorized(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in
      .text("no", status: 401).header("WWW-Authenticate", #"Basic realm="x""#)
    }
    let events = await (try kind.make()).exchange(.init(url: server.origin))
    #expect(events.error == nil)
    #expect(events.status == 401)
    #expect(events.body == Data("no".utf8))
  }

  @Test("connections are kept and reused", arguments: TransportKind.allCases)
  func reuse(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let transport = try kind.make()
    for _ in 0..<10 { #expect(await transport.exchange(.init(url: server.origin)).error == nil) }
    #expect(server.log.connectionsAccepted == 1)
  }
}
