import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

@Suite("Authentication", .timeLimit(.minutes(5)))
struct AuthenticationTests {
  /// Requests Digest until a request has an `Authorization` of the scheme; libcurl is trusted to compute the
  /// right hash.
  private func server(
    _ scheme: String = "Digest", isRight: Bool = true, from gate: LoopbackServer.Gate? = nil
  ) throws -> LoopbackServer {
    try LoopbackServer { request in
      guard isRight, let sent = request.headers["Authorization"], sent.hasPrefix(scheme) else {
        let refusal = LoopbackServer.Reply.text("who?", status: 401)
          .header("WWW-Authenticate", #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#)
        return gate.map(refusal.held) ?? refusal
      }
      return .bytes(request.body).header("X-Sent", sent)
    }
  }

  private func transport(_ credentials: [String: CurlConfiguration.Credential]) throws -> CurlTransport {
    var configuration = CurlConfiguration()
    configuration.credentials = credentials
    return try CurlTransport(configuration: configuration)
  }

  @Test("Basic and Bearer credentials are sent with the first request, and only to their host")
  func atOnce() async throws {
    let server = try LoopbackServer { .text($0.headers["Authorization"] ?? "none") }
    let expected = [
      (CurlConfiguration.Credential.basic(user: "me", password: "p:w"), "Basic bWU6cDp3"),
      (.bearer(token: "abc"), "Bearer abc"),
    ]
    for (credential, field) in expected {
      let transport = try transport([server.origin: credential])
      let events = await transport.exchange(.init(url: server.origin))
      #expect(events.body == Data(field.utf8))
      let other = await transport.exchange(.init(url: "http://localhost:\(server.port)/"))
      #expect(other.body == Data("none".utf8))
      let own = await transport.exchange(.init(url: server.origin, headers: ["Authorization": "mine"]))
      #expect(own.body == Data("mine".utf8))
    }
    server.route("/leave") { [port = server.port] _ in .redirect(to: "http://localhost:\(port)/") }
    let left = await (try transport([server.origin: .basic(user: "me", password: "pw")]))
      .exchange(.init(url: "\(server.origin)/leave"))
    #expect(left.body == Data("none".utf8))
  }

  @Test("the credential of a request replaces that of the configuration, for this request only")
  func credentialOfRequest() async throws {
    let server = try LoopbackServer { .text($0.headers["Authorization"] ?? "none") }
    let transport = try transport([server.origin: .bearer(token: "configured")])
    var request = TransportRequest(url: server.origin)
    for token in ["first", "second"] {
      request.credential = .bearer(token: token)
      #expect(await transport.exchange(request).body == Data("Bearer \(token)".utf8))
    }
    request.credential = nil
    #expect(await transport.exchange(request).body == Data("Bearer configured".utf8))
  }

  @Test("a request's own Authorization is the only one, even if the server asks for another scheme")
  func own() async throws {
    let fields = Lock<[[String]]>([])
    let server = try LoopbackServer { request in
      fields.withLock { all in
        all.append(request.headers.filter { $0.name.lowercased() == "authorization" }.map(\.value))
      }
      return .status(401)
        .header("WWW-Authenticate", #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#)
    }
    let digest = CurlConfiguration.Credential.digest(user: "me", password: "pw")
    let transport = try transport([server.origin: digest])
    var request = TransportRequest(url: server.origin, headers: ["Authorization": "mine"])
    #expect(await transport.exchange(request).status == 401)
    request.credential = digest
    #expect(await (try CurlTransport()).exchange(request).status == 401)
    #expect(fields.withLock { $0 } == [["mine"], ["mine"]])
  }

  @Test("a request's own Authorization is the only one, also after a request with the credential")
  func ownAfterCredential() async throws {
    let server = try server()
    let transport = try transport([server.origin: .digest(user: "me", password: "pw")])
    #expect(await transport.exchange(.init(url: server.origin)).status == 200)
    let own = TransportRequest(url: server.origin, headers: ["Authorization": "mine"])
    #expect(await transport.exchange(own).status == 401)
    #expect(server.log.requestCount == 3)
    #expect(server.log.requests.last?.headers.values(of: "Authorization") == ["mine"])
  }

  @Test(
    "Digest takes two requests and delivers one response, and bodies arrive complete",
    arguments: ["none", "small", "large", "file"])
  func digest(kind: String) async throws {
    let server = try server()
    let transport = try transport([server.origin: .digest(user: "me", password: "pw")])
    let small = Data("small".utf8)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).body")
    try Data.megabyte.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let (body, expected): (TransportRequest.Body, Data) =
      switch kind {
      case "small": (.data(small), small)
      case "large": (.data(Data.megabyte), Data.megabyte)
      case "file": (.file(file), Data.megabyte)
      default: (.none, Data())
      }
    for _ in 0..<2 {
      let events = await transport.exchange(
        .init(method: kind == "none" ? .get : .post, url: "\(server.origin)/a", body: body))
      #expect(events.error == nil)
      #expect(events.heads == 1)
      #expect(events.status == 200)
      // Compared outside #expect, because a mismatch would print a megabyte.
      let isWhole = events.body == expected
      #expect(isWhole)
      #expect(events.head?.headers["X-Sent"]?.contains(#"username="me""#) == true)
    }
  }

  @Test("a challenged request is sent twice with its credential only if it is idempotent")
  func resend() async throws {
    let server = try server()
    server.route("/close") { request in
      request.headers["Authorization"]?.contains("username") == true && request.indexOnConnection > 0
        ? .close
        : .text("who?", status: 401)
          .header("WWW-Authenticate", #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#)
    }
    for method in [HTTPMethod.post, .put] {
      let transport = try transport([server.origin: .digest(user: "me", password: "pw")])
      let body = TransportRequest.Body.data(Data("once".utf8))
      let before = server.log.requestCount
      _ = await transport.exchange(.init(method: method, url: "\(server.origin)/close", body: body))
      let whole = server.log.requests.dropFirst(before).filter { $0.text == "once" }
      #expect(whole.count == (method == .post ? 1 : 2))
    }
  }

  @Test("the coding of a challenge does not apply to the response that follows it")
  func encodedChallenge() async throws {
    let compressed = try #require(Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8igOwkAL/r4SHgAAAA="))
    let server = try LoopbackServer { request in
      guard request.headers["Authorization"] == nil else { return .text("plain") }
      return .bytes(compressed, status: 401).header("Content-Encoding", "gzip")
        .header("WWW-Authenticate", #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#)
    }
    let transport = try transport([server.origin: .digest(user: "me", password: "pw")])
    let events = await transport.exchange(.init(url: server.origin))
    #expect(events.error == nil)
    #expect(events.body == Data("plain".utf8))
    #expect(server.log.requestCount == 2)
  }

  @Test("each redirect of a chain can request the credential again")
  func redirects() async throws {
    let server = try LoopbackServer { _ in .text("there") }
    for hop in 0..<10 {
      server.route("/\(hop)") { request in
        guard request.headers["Authorization"]?.contains("nonce=\"n\(hop)\"") == true else {
          return .status(401).header(
            "WWW-Authenticate",
            "Digest realm=\"r\", nonce=\"n\(hop)\", stale=true, qop=\"auth\", algorithm=SHA-256")
        }
        return .redirect(to: hop == 9 ? "/there" : "/\(hop + 1)")
      }
    }
    let transport = try transport([server.origin: .digest(user: "me", password: "pw")])
    let events = await transport.exchange(.init(url: "\(server.origin)/0"))
    #expect(events.error == nil)
    #expect(events.body == Data("there".utf8))
    #expect(server.log.requests.count { $0.path != "/there" } == 20)
  }

  @Test("a wrong credential, or none, yields the 401 and its body")
  func wrong() async throws {
    let server = try server(isRight: false)
    for credentials in [
      [:], [server.origin: CurlConfiguration.Credential.digest(user: "me", password: "no")],
      [server.origin: .basic(user: "me", password: "no")],
    ] {
      for method in [HTTPMethod.get, .post] {
        let events = await (try transport(credentials)).exchange(.init(method: method, url: server.origin))
        #expect(events.error == nil)
        #expect(events.heads == 1)
        #expect(events.status == 401)
        #expect(events.body == Data("who?".utf8))
      }
    }
  }

  @Test("a 401 without a body is a normal response, also to HEAD")
  func bodiless() async throws {
    let server = try LoopbackServer { _ in .status(401) }
    let transport = try transport(["http://*:\(server.port)": .digest(user: "me", password: "pw")])
    for method in [HTTPMethod.get, .head] {
      let events = await transport.exchange(.init(method: method, url: server.origin))
      #expect(events.error == nil)
      #expect(events.status == 401)
      #expect(events.heads == 1)
    }
  }

  @Test(
    "a credential is sent only to its scheme, host and port; a host alone stands for https on port 443"
  )
  func origin() async throws {
    let credential = CurlConfiguration.Credential.basic(user: "me", password: "pw")
    let server = try LoopbackServer { .text($0.headers["Authorization"] ?? "none") }
    let other = try LoopbackServer { .text($0.headers["Authorization"] ?? "none") }
    func receivedAuthorization(_ key: String, _ url: String) async throws -> String {
      let events = await (try transport([key: credential])).exchange(.init(url: url))
      return String(decoding: events.body, as: UTF8.self)
    }
    let sent = "Basic bWU6cHc="
    #expect(try await receivedAuthorization(server.origin, server.origin) == sent)
    #expect(try await receivedAuthorization("HTTP://127.0.0.1:\(server.port)", server.origin) == sent)
    #expect(try await receivedAuthorization("http://*:\(server.port)", server.origin) == sent)
    #expect(try await receivedAuthorization(server.origin, other.origin) == "none")
    for key in [
      "127.0.0.1", "127.0.0.1:\(server.port)", "http://127.0.0.1", "https://127.0.0.1:\(server.port)", "*",
      "http://*:80",
      "http://localhost:\(server.port)", "http://*.0.0.1:\(server.port)",
    ] {
      #expect(try await receivedAuthorization(key, server.origin) == "none", "\(key)")
    }
    server.route("/leave") { [url = other.origin] _ in .redirect(to: url) }
    #expect(try await receivedAuthorization(server.origin, "\(server.origin)/leave") == "none")
  }

  @Test(
    "an invalid origin is rejected, and the error shows it",
    arguments: [
      "", "https://", "ftp://a", "a/b", "a?b", "a:0", "a:65536", "a:b", "me@a", "https://a/", "http://*",
      "https://*", "http://*.local", "https://*.example.com", "*.*", "2001:db8::1", "[a]:8443", "[a", "a b",
      "http+unix://%2Fa",
    ])
  func senseless(key: String) {
    guard case .invalid("credentials", key, _)? = refusal([key: .bearer(token: "t")]) else {
      Issue.record("it was accepted")
      return
    }
    #expect(refusal(["a": .bearer(token: "t"), "https://A:443": .bearer(token: "u")]) != nil)
  }

  @Test(
    "two spellings of one host are rejected, because either credential could be meant",
    arguments: [
      ("example.com", "Example.com."), ("127.0.0.1", "127.1"), ("bücher.example", "xn--bcher-kva.example"),
      ("http://[::1]:8080", "http://[0:0::1]:8080"),
    ])
  func sameHost(first: String, second: String) {
    let error = refusal([first: .bearer(token: "t"), second: .bearer(token: "u")])
    guard case .invalid("credentials", let key, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect([first, second].contains(key))
  }

  @Test(
    "a request is not sent with a token that would forge a field", arguments: TransportKind.allCases,
    ["", "a\r\nB: c", "a b", "ä"])
  func tokenOfRequest(kind: TransportKind, token: String) async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    var request = TransportRequest(url: server.origin)
    request.credential = .bearer(token: token)
    let events = await (try kind.make()).exchange(request)
    guard case .invalidField? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
    #expect(server.log.connectionsAccepted == 0)
  }

  @Test(
    "a request's own Authorization replaces the request's credential", arguments: TransportKind.allCases)
  func ownInsteadOfCredential(kind: TransportKind) async throws {
    let server = try LoopbackServer { .text($0.headers["Authorization"] ?? "none") }
    var request = TransportRequest(url: server.origin, headers: ["Authorization": "mine"])
    request.credential = .bearer(token: "other")
    #expect(await (try kind.make()).exchange(request).body == Data("mine".utf8))
  }

  @Test("a token that would forge a field is rejected", arguments: ["", "a\r\nB: c", "a b", "ä"])
  func token(text: String) {
    guard case .invalid("credentials", text, _)? = refusal(["*": .bearer(token: text)]) else {
      Issue.record("it was accepted")
      return
    }
  }

  @Test(
    "a user or password that would forge a field, or be cut short, is rejected",
    arguments: ["u\r\nX: y", "u\0", "\u{7F}"])
  func controls(text: String) throws {
    for credential: CurlConfiguration.Credential in [
      .digest(user: text, password: "p"), .basic(user: text, password: "p"),
      .basic(user: "u", password: text),
    ] {
      guard case .invalid("credentials", let shown, _)? = refusal(["*": credential]) else {
        Issue.record("\(credential) was accepted")
        continue
      }
      #expect(shown == (credential == .basic(user: "u", password: text) ? "the password" : text))
    }
    var configuration = CurlConfiguration()
    configuration.proxy = .proxy(.init(.http, host: "a", port: 1, user: text))
    #expect(throws: CurlConfigurationError.self) { try CurlTransport(configuration: configuration) }
  }

  @Test("a proxy's password that would be cut short is rejected, and the error does not show it")
  func controlsInPasswordForProxy() {
    var configuration = CurlConfiguration()
    configuration.proxy = .proxy(.init(.http, host: "a", port: 1, user: "u", password: "secret\0"))
    #expect(
      throws: CurlConfigurationError.invalid(
        name: "proxy.user", value: "the password", reason: "the password has control characters")
    ) {
      try CurlTransport(configuration: configuration)
    }
  }

  @Test("a server that keeps sending a new nonce causes an error after a few rounds")
  func staleForEver() async throws {
    let server = try LoopbackServer { _ in
      .status(401).header("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", stale=true, qop=\"auth\"")
    }
    let transport = try transport([server.origin: .digest(user: "me", password: "pw")])
    guard case .badServerResponse? = await transport.exchange(.init(url: server.origin)).error else {
      Issue.record("it is no error")
      return
    }
    #expect(server.log.requestCount == 9)
  }

  @Test("Negotiate is supported, or the error says that it is not")
  func negotiate() {
    switch refusal(["*": .negotiate]) {
    case nil, .unsupported("CURLOPT_HTTPAUTH", _)?: break
    case let error?: Issue.record("\(error)")
    }
  }

  private func refusal(_ credentials: [String: CurlConfiguration.Credential]) -> CurlConfigurationError? {
    do throws(CurlConfigurationError) {
      var configuration = CurlConfiguration()
      configuration.credentials = credentials
      _ = try CurlTransport(configuration: configuration)
      return nil
    } catch {
      return error
    }
  }

  @Test("a receiver that pauses the transfer still gets the head of a refusal")
  func paused() async throws {
    let gate = LoopbackServer.Gate()
    let server = try server(isRight: false, from: gate)
    let transport = try transport([server.origin: .digest(user: "me", password: "no")])
    let (token, recorder) = transport.record(.init(url: server.origin))
    let transfer = try #require(token as? any Transfer)
    transfer.pause()
    gate.open()
    #expect(await recorder.waitUntil { $0.heads == 1 }.status == 401)
    transfer.resume()
    let events = await recorder.waitForEnd()
    #expect(events.error == nil)
    #expect(events.body == Data("who?".utf8))
  }

  @Test(
    "if the server does not request Digest, its response to the request without a body is not the final one",
    arguments: [HTTPMethod.put, .post], [200, 204])
  func unwanted(method: HTTPMethod, status: Int) async throws {
    let server = try LoopbackServer { request in
      request.body.isEmpty
        ? .status(status)
        : .bytes(request.body, status: 201).delayed(by: .seconds(request.path == "/slow" ? 5 : 0))
    }
    let transport = try transport([server.origin: .digest(user: "me", password: "pw")])
    for path in ["/slow", "/again"] {
      let events = await transport.exchange(
        .init(method: method, url: server.origin + path, body: .data(Data("x".utf8))))
      #expect(events.error == nil)
      #expect(events.heads == 1)
      #expect(events.status == 201)
      #expect(events.body == Data("x".utf8))
    }
  }
}
