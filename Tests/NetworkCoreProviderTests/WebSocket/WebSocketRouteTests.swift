import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Connections of WebSockets", .timeLimit(.minutes(5)))
struct WebSocketRouteTests {
  private static func echo(tls: LoopbackServer.TLS? = nil) throws -> LoopbackServer {
    var options = LoopbackServer.Options()
    options.http2 = .init()
    return try LoopbackServer(tls: tls, options: options) { _ in
      .webSocket { socket in
        while let message = socket.receive() { socket.send(message) }
      }
    }
  }

  private func provider(
    _ change: (inout CurlConfiguration) throws -> Void = { _ in }
  ) throws -> NetworkProvider<LoopbackTarget> {
    var configuration = CurlConfiguration()
    try change(&configuration)
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

  @Test("over TLS, with the right authority and pin, also if the server offers HTTP/2")
  func secure() async throws {
    let server = try Self.echo(tls: .generated)
    let origin = "wss://127.0.0.1:\(server.port)"
    try await exchange(provider { $0.tls.authorities = .data(server.authority) }, origin)
    try await exchange(
      provider {
        $0.tls.authorities = .data(server.authority)
        $0.serverTrustManager = try Self.trustManager(server.pins)
      }, origin)
    #expect(server.log.requestCount == 2)

    let unknown = await failure(try provider(), origin)
    guard case .underlying(TransferError.certificate(.unknownIssuer, _, _), _)? = unknown else {
      Issue.record("\(String(describing: unknown))")
      return
    }
    let wrong = try LoopbackServer(tls: .generated).pins
    let refused = await failure(
      try provider {
        $0.tls.authorities = .data(server.authority)
        $0.serverTrustManager = try Self.trustManager(wrong)
      }, origin)
    guard case .underlying(TransferError.certificate(.pinMismatch, _, _), _)? = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    #expect(server.log.requestCount == 2)
  }

  private static func trustManager(_ pins: [String]) throws -> ServerTrustManager {
    let keys = try pins.map { try PublicKeyPin($0) }
    return ServerTrustManager(evaluators: ["127.0.0.1": PublicKeysTrustEvaluator(keys: keys)])
  }

  @Test("a client certificate is shown to the server that demands it")
  func clientCertificate() async throws {
    var tls = LoopbackServer.TLS.generated
    tls.clientCertificates = .generated
    let server = try Self.echo(tls: tls)
    let origin = "wss://127.0.0.1:\(server.port)"
    let client = try server.makeClientIdentity(name: "client")
    try await exchange(
      provider {
        $0.tls.authorities = .data(server.authority)
        $0.tls.clientIdentities = [
          "127.0.0.1": .init(certificate: .data(client.certificate), key: .data(client.key))
        ]
      }, origin)
    let refused = await failure(try provider { $0.tls.authorities = .data(server.authority) }, origin)
    #expect(refused?.transferError != nil)
    let log = try await server.log { $0.failedHandshakes.count == 1 }
    #expect(log.requests.map(\.handshake?.clientSubject) == ["/CN=client"])
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
    // A field of the request is not for the proxy, which opens a tunnel before the request is sent.
    let another = try provider { $0.proxy = .proxy(proxy) }
    let socket = try await another.webSocket(
      target("ws://server.test:8080").with { $0.headers = ["Proxy-Authorization": "own"] })
    socket.close()
    proxy.password = "wrong"
    let refused = await failure(try provider { $0.proxy = .proxy(proxy) }, "ws://server.test:8080")
    guard case .underlying(TransferError.cannotConnect, _)? = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    #expect(server.log.requestCount == 2)
  }

  @Test("a proxy with Digest opens the tunnel, and the server's response through it is delivered")
  func digestProxy() async throws {
    let server = try LoopbackServer { _ in .text("no sockets") }
    let forwarder = try ForwardingProxy(.connect(), to: server.port)
    var proxy = CurlConfiguration.Proxy(
      .http, host: "127.0.0.1", port: Int(forwarder.port), user: "me", password: "pw")
    proxy.authentication = .digest
    let refused = await failure(try provider { $0.proxy = .proxy(proxy) }, "ws://server.test:8080")
    guard case .statusCode(let response)? = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    #expect(response.statusCode == 200)
    #expect(response.data == Data("no sockets".utf8))
    #expect(forwarder.log.all == ["server.test:8080"])
  }

  @Test("through a SOCKS proxy")
  func socks() async throws {
    let server = try Self.echo()
    let forwarder = try ForwardingProxy(.socks5(), to: server.port)
    let proxy = CurlConfiguration.Proxy(.socks5, host: "127.0.0.1", port: Int(forwarder.port))
    try await exchange(provider { $0.proxy = .proxy(proxy) }, "ws://server.test:8080")
    #expect(server.log.requestCount == 1)
  }

  @Test("over TLS through a tunnel, the certificate is that of the server")
  func secureProxy() async throws {
    let server = try Self.echo(tls: .generated(names: ["server.test"]))
    let forwarder = try ForwardingProxy(.connect(), to: server.port)
    try await exchange(
      provider {
        $0.proxy = .proxy(.init(.http, host: "127.0.0.1", port: Int(forwarder.port)))
        $0.tls.authorities = .data(server.authority)
      }, "wss://server.test")
    #expect(forwarder.log.all == ["server.test:443"])
  }

  @Test("through a tunnel of a proxy over TLS, which is verified")
  func tlsProxy() async throws {
    // It responds to the request in the tunnel as well.
    let server = try LoopbackServer(tls: .generated) { request in
      guard request.method != "CONNECT" else { return .status(200) }
      return .webSocket { socket in
        while let message = socket.receive() { socket.send(message) }
      }
    }
    let proxy = CurlConfiguration.Proxy(.https, host: "127.0.0.1", port: Int(server.port))
    try await exchange(
      provider {
        $0.proxy = .proxy(proxy)
        $0.tls.authorities = .data(server.authority)
      }, "ws://server.test:8080")
    #expect(server.log.requests.map(\.target) == ["server.test:8080", "/"])
    let refused = await failure(try provider { $0.proxy = .proxy(proxy) }, "ws://server.test:8080")
    guard case .certificate(.unknownIssuer, "127.0.0.1", _)? = refused?.transferError else {
      Issue.record("\(String(describing: refused))")
      return
    }
  }

  @Test("a plain request after a WebSocket through a tunnel needs no tunnel")
  func plainRequestAfterwards() async throws {
    // It is the proxy, and responds to the request in the tunnel as well.
    let server = try LoopbackServer { request in
      guard request.method != "CONNECT" else { return .status(200) }
      guard request.headers["Upgrade"] != nil else { return .text("plain") }
      return .webSocket { socket in
        while let message = socket.receive() { socket.send(message) }
      }
    }
    var configuration = CurlConfiguration()
    configuration.proxy = .proxy(.init(.http, host: "127.0.0.1", port: Int(server.port)))
    let transport = try CurlTransport(configuration: configuration)
    try await exchange(NetworkProvider(transport: transport), "ws://server.test:8080")
    try await server.log { $0.openConnections == 0 }
    #expect(await suspendUntil { transport.gauges.requestsInFlight == 0 })
    #expect(await transport.exchange(.init(url: "http://server.test:8080/a")).body == Data("plain".utf8))
    #expect(
      server.log.requests.map(\.target) == ["server.test:8080", "/", "http://server.test:8080/a"])
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
