import Foundation
import LoopbackServer
import NetworkCore
import Testing

@Suite("Connections of WebSockets", .timeLimit(.minutes(5)))
struct WebSocketRouteTests {
  /// Passes the connections to a site on to a server that speaks no TLS.
  private static func site(
    before server: LoopbackServer, _ identity: CertificateAuthority.Identity, _ directives: String = ""
  ) -> Nginx.Site {
    .init(
      identity: identity,
      directives: """
        \(directives)
        location / {
          proxy_pass http://127.0.0.1:\(server.port); proxy_http_version 1.1;
          proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade";
        }
        """)
  }

  private static func echo() throws -> LoopbackServer {
    try LoopbackServer { _ in
      .webSocket { socket in
        while let message = socket.receive() { socket.send(message) }
      }
    }
  }

  private func provider(
    _ change: (inout CurlConfiguration) -> Void = { _ in }
  ) throws -> NetworkProvider<LoopbackTarget> {
    var configuration = CurlConfiguration()
    change(&configuration)
    return NetworkProvider(transport: try CurlTransport(configuration: configuration))
  }

  private func target(_ origin: String) throws -> LoopbackTarget {
    LoopbackTarget(try #require(URL(string: origin)))
  }

  /// Sends messages, which the server sends back; throws what opening or sending throws.
  private func exchange(_ provider: NetworkProvider<LoopbackTarget>, _ origin: String) async throws {
    let socket = try await provider.webSocket(target(origin))
    var messages = socket.makeAsyncIterator()
    for count in [5, 300, 1 << 20] {
      let message = WebSocketMessage.binary(Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
      try await socket.send(message)
      // Compared outside #expect, because a mismatch would print a megabyte.
      let isSame = try await messages.next() == message
      #expect(isSame)
    }
    socket.close()
    #expect(try await messages.next() == nil)
  }

  /// The error of an exchange that must fail.
  private func failure(
    _ provider: NetworkProvider<LoopbackTarget>, _ origin: String
  ) async -> NetworkError? {
    await #expect(throws: NetworkError.self) { try await exchange(provider, origin) }
  }

  @Test(
    "over TLS, with the right authority and pin, also if the server offers HTTP/2",
    .enabled(if: InstalledProgram.canServeTLS, Comment(rawValue: InstalledProgram.skipReason)))
  func secure() async throws {
    let server = try Self.echo()
    let authority = try CertificateAuthority()
    let identity = try authority.issue()
    let nginx = try Nginx(Self.site(before: server, identity))
    let origin = nginx.origin(scheme: "wss")
    try await exchange(provider { $0.tls.authorities = .data(authority.root.pem) }, origin)
    let pin = try identity.pin()
    try await exchange(
      provider {
        $0.tls.authorities = .data(authority.root.pem)
        $0.serverTrustManager = ServerTrustManager(
          evaluators: ["127.0.0.1": PublicKeysTrustEvaluator(keys: [pin])])
      }, origin)
    #expect(server.log.requestCount == 2)

    let unknown = await failure(try provider(), origin)
    guard case .underlying(TransferError.certificate(.unknownIssuer, _, _), _)? = unknown else {
      Issue.record("\(String(describing: unknown))")
      return
    }
    let wrong = try authority.root.pin()
    let refused = await failure(
      try provider {
        $0.tls.authorities = .data(authority.root.pem)
        $0.serverTrustManager = ServerTrustManager(
          evaluators: ["127.0.0.1": PublicKeysTrustEvaluator(keys: [wrong])])
      }, origin)
    guard case .underlying(TransferError.certificate(.pinMismatch, _, _), _)? = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    #expect(server.log.requestCount == 2)
  }

  @Test(
    "a client certificate is shown to the server that demands it",
    .enabled(if: InstalledProgram.canServeTLS, Comment(rawValue: InstalledProgram.skipReason)))
  func clientCertificate() async throws {
    let server = try Self.echo()
    let authority = try CertificateAuthority()
    let demand = "ssl_verify_client on; ssl_client_certificate \(authority.root.certificate);"
    let nginx = try Nginx(Self.site(before: server, try authority.issue(), demand))
    let client = try authority.issue("DNS:client")
    try await exchange(
      provider {
        $0.tls.authorities = .data(authority.root.pem)
        $0.tls.clientIdentities = [
          "127.0.0.1": .init(certificate: .data(client.pem), key: .data(client.keyPEM))
        ]
      }, nginx.origin(scheme: "wss"))
    let refused = await failure(
      try provider { $0.tls.authorities = .data(authority.root.pem) }, nginx.origin(scheme: "wss"))
    guard case .statusCode(let response)? = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    #expect(response.statusCode == 400)
    #expect(server.log.requestCount == 1)
  }

  @Test("through a tunnel of an HTTP proxy, which must accept the credential")
  func proxy() async throws {
    let server = try Self.echo()
    let forwarder = try ForwardingProxy(.connect(authorization: "Basic bWU6cHc="), to: server.port)
    var proxy = CurlConfiguration.Proxy(
      .http, host: "127.0.0.1", port: Int(forwarder.port), user: "me", password: "pw")
    try await exchange(provider { $0.proxy = .proxy(proxy) }, "ws://server.test:8080")
    #expect(forwarder.log.all == ["server.test:8080"])
    #expect(server.log.requests.first?.headers["Host"] == "server.test:8080")
    #expect(server.log.requests.first?.headers["Proxy-Authorization"] == nil)
    proxy.password = "wrong"
    let refused = await failure(try provider { $0.proxy = .proxy(proxy) }, "ws://server.test:8080")
    guard case .underlying(TransferError.cannotConnect, _)? = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    #expect(server.log.requestCount == 1)
  }

  @Test("through a SOCKS proxy")
  func socks() async throws {
    let server = try Self.echo()
    let forwarder = try ForwardingProxy(.socks5(), to: server.port)
    let proxy = CurlConfiguration.Proxy(.socks5, host: "127.0.0.1", port: Int(forwarder.port))
    try await exchange(provider { $0.proxy = .proxy(proxy) }, "ws://server.test:8080")
    #expect(server.log.requestCount == 1)
  }

  @Test(
    "over TLS through a tunnel, the certificate is that of the server",
    .enabled(if: InstalledProgram.canServeTLS, Comment(rawValue: InstalledProgram.skipReason)))
  func secureProxy() async throws {
    let server = try Self.echo()
    let authority = try CertificateAuthority()
    let nginx = try Nginx(Self.site(before: server, try authority.issue("DNS:server.test")))
    let forwarder = try ForwardingProxy(.connect(), to: nginx.ports[0])
    try await exchange(
      provider {
        $0.proxy = .proxy(.init(.http, host: "127.0.0.1", port: Int(forwarder.port)))
        $0.tls.authorities = .data(authority.root.pem)
      }, "wss://server.test")
    #expect(forwarder.log.all == ["server.test:443"])
  }

  @Test("over a Unix domain socket")
  func unixSocket() async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sock").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let server = try Self.echo()
    let forwarder = try ForwardingProxy(at: path, to: server.port)
    let host = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    try await exchange(provider(), "http+unix://\(host)")
    #expect(server.log.requestCount == 1)
    withExtendedLifetime(forwarder) {}
  }

  @Test("to the address that replaces the one of DNS")
  func override() async throws {
    let server = try Self.echo()
    try await exchange(
      provider {
        $0.names.overrides = [.init(host: "server.test", port: Int(server.port), addresses: ["127.0.0.1"])]
      }, "ws://server.test:\(server.port)")
    #expect(server.log.requestCount == 1)
  }

  @Test("Digest credentials answer the challenge of the server")
  func digest() async throws {
    let server = try LoopbackServer { request in
      guard let sent = request.headers["Authorization"], sent.hasPrefix("Digest") else {
        return .text("who?", status: 401)
          .header("WWW-Authenticate", #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#)
      }
      return .webSocket { socket in
        while let message = socket.receive() { socket.send(message) }
      }
    }
    try await exchange(
      provider { $0.credentials = [server.origin: .digest(user: "me", password: "pw")] },
      "ws://127.0.0.1:\(server.port)")
    #expect(server.log.requestCount == 2)
    let wrong = await failure(
      try provider { $0.credentials = [server.origin: .basic(user: "me", password: "pw")] },
      "ws://127.0.0.1:\(server.port)")
    guard case .statusCode(let response)? = wrong else {
      Issue.record("\(String(describing: wrong))")
      return
    }
    #expect(response.statusCode == 401)
    #expect(response.data == Data("who?".utf8))
  }

  @Test("a Digest credential that the server does not ask for fails the handshake, which could send nothing")
  func unwantedDigest() async throws {
    let server = try Self.echo()
    let error = await failure(
      try provider { $0.credentials = [server.origin: .digest(user: "me", password: "pw")] },
      "ws://127.0.0.1:\(server.port)")
    guard case .underlying(TransferError.badServerResponse(let reason), _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("credential"))
  }

  @Test("a Digest credential that the server refuses ends with its 401")
  func refusedDigest() async throws {
    let server = try LoopbackServer { _ in
      .text("who?", status: 401)
        .header("WWW-Authenticate", #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#)
    }
    let error = await failure(
      try provider { $0.credentials = [server.origin: .digest(user: "me", password: "pw")] },
      "ws://127.0.0.1:\(server.port)")
    guard case .statusCode(let response)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(response.statusCode == 401)
    #expect(response.data == Data("who?".utf8))
    #expect(server.log.requestCount == 2)
  }
}
