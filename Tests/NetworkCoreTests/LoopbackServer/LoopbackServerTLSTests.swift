import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

extension TransferRecorder.Events {
  fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}

/// The TLS of the server, seen by libcurl.
@Suite("TLS of LoopbackServer", .timeLimit(.minutes(5)))
struct LoopbackServerTLSTests {
  private func configuration(_ server: LoopbackServer) -> CurlConfiguration {
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority)
    return configuration
  }

  private func exchange(
    _ server: LoopbackServer, host: String = "127.0.0.1", _ configuration: CurlConfiguration
  ) async throws -> TransferRecorder.Events {
    let transport = try CurlTransport(configuration: configuration)
    return await transport.exchange(.init(url: "https://\(host):\(server.port)/"))
  }

  @Test(
    "a client that trusts the server's authority gets the response, and the request tells of the handshake")
  func trusted() async throws {
    let server = try LoopbackServer(tls: .generated) { .text($0.handshake?.serverName ?? "none") }
    #expect(server.origin == "https://127.0.0.1:\(server.port)")
    #expect(try await exchange(server, host: "localhost", configuration(server)).text == "localhost")
    let handshake = try #require(server.log.requests.first?.handshake)
    #expect(handshake.version == "TLSv1.3")
    #expect(handshake.applicationProtocol == "http/1.1")
    #expect(handshake.clientSubject == nil)
    #expect(server.log.failedHandshakes.isEmpty)
  }

  @Test("a client that does not trust the authority sends no request")
  func untrusted() async throws {
    let server = try LoopbackServer(tls: .generated) { _ in .text("secret") }
    let events = try await exchange(server, CurlConfiguration())
    guard case .certificate(.unknownIssuer, _, _)? = events.error else {
      Issue.record("\(events)")
      return
    }
    let log = try await server.log { $0.connectionsAccepted == 1 && $0.openConnections == 0 }
    #expect(log.requestCount == 0)
  }

  @Test("a generated certificate names the names asked for")
  func names() async throws {
    let server = try LoopbackServer(tls: .generated(names: ["api.test"])) { _ in .text("named") }
    var configuration = configuration(server)
    configuration.names.overrides = [
      .init(host: "api.test", port: Int(server.port), addresses: ["127.0.0.1"])
    ]
    #expect(try await exchange(server, host: "api.test", configuration).text == "named")
  }

  @Test("a generated certificate is valid for the address ::1")
  func ipv6() async throws {
    let server = try LoopbackServer(on: .ipv6(), tls: .generated) { _ in .text("six") }
    #expect(server.origin == "https://[::1]:\(server.port)")
    #expect(try await exchange(server, host: "[::1]", configuration(server)).text == "six")
  }

  @Test("a name that no application protocol can have is left out")
  func invalidProtocol() async throws {
    var tls = LoopbackServer.TLS.generated
    tls.applicationProtocols = [String(repeating: "x", count: 256), "http/1.1"]
    let server = try LoopbackServer(tls: tls) { .text($0.handshake?.applicationProtocol ?? "none") }
    #expect(try await exchange(server, configuration(server)).text == "http/1.1")
  }

  @Test(
    "each flaw of a certificate is the problem that the client names",
    arguments: [
      (LoopbackServer.TLS.Flaw.expired, CertificateProblem.expired), (.notYetValid, .notYetValid),
      (.wrongHost, .wrongHost), (.selfSigned, .selfSigned), (.missingIntermediate, .unknownIssuer),
    ])
  func flaws(_ flaw: LoopbackServer.TLS.Flaw, _ expected: CertificateProblem) async throws {
    let server = try LoopbackServer(tls: .generated(flaw: flaw)) { _ in .text("secret") }
    guard case .certificate(let problem, _, _)? = try await exchange(server, configuration(server)).error
    else {
      Issue.record("no problem with the certificate")
      return
    }
    #expect(problem == expected)
    #expect(server.log.requestCount == 0)
  }

  @Test("a client that demands a status gets the one that the server staples: none, good or revoked")
  func status() async throws {
    var stapling = LoopbackServer.TLS.generated
    stapling.staplesStatus = true
    for (tls, expected) in [
      (.generated, .noStatus), (stapling, nil), (.generated(flaw: .revoked), .revoked),
    ] as [(LoopbackServer.TLS, CertificateProblem?)] {
      let server = try LoopbackServer(tls: tls) { _ in .text("ok") }
      var configuration = configuration(server)
      #expect(try await exchange(server, configuration).text == "ok")
      configuration.serverTrustManager = ServerTrustManager(evaluators: [
        "127.0.0.1": RevocationTrustEvaluator(options: .requirePositiveResponse)
      ])
      let error = try await exchange(server, configuration).error
      if case .certificate(let problem, _, _)? = error {
        #expect(problem == expected)
      } else {
        #expect(error == nil && expected == nil)
      }
      #expect(server.log.requestCount == (expected == nil ? 2 : 1))
    }
  }

  @Test("a second connection resumes the session of the first")
  func resumed() async throws {
    let server = try LoopbackServer(tls: .generated) { request in
      .text("\(request.handshake?.isResumed == true)").closingConnection()
    }
    let transport = try CurlTransport(configuration: configuration(server))
    for text in ["false", "true"] {
      #expect(await transport.exchange(.init(url: server.origin)).text == text)
    }
  }

  @Test("a client that says close_notify after its request still gets its delayed response, if told so")
  func halfClosed() throws {
    for answers in [true, false] {
      let gate = LoopbackServer.Gate()
      var options = LoopbackServer.Options()
      options.answersHalfClosedClients = answers
      let server = try LoopbackServer(tls: .generated, options: options) { _ in
        .text("late").held(until: gate)
      }
      let client = try TLSClient(port: server.port)
      try client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
      try server.waitUntil { $0.pending == 1 }
      client.sayCloseNotify()
      if !answers { try server.waitUntil { $0.abandoned.count == 1 } }
      gate.open()
      #expect(client.readToEnd().hasSuffix("\r\n\r\nlate") == answers)
    }
  }

  @Test("the server's pin is the one of its certificate, and that of another server is refused")
  func pins() async throws {
    let server = try LoopbackServer(tls: .generated) { _ in .text("pinned") }
    let other = try LoopbackServer(tls: .generated)
    for (pins, text) in [(server.pins, "pinned"), (other.pins, "")] {
      var configuration = configuration(server)
      configuration.serverTrustManager = ServerTrustManager(evaluators: [
        "127.0.0.1": PublicKeysTrustEvaluator(keys: try pins.map { try PublicKeyPin($0) })
      ])
      #expect(try await exchange(server, configuration).text == text)
    }
  }

  @Test("a server that demands a certificate serves the clients that its authority has signed, and no others")
  func clientCertificates() async throws {
    var tls = LoopbackServer.TLS.generated
    tls.clientCertificates = .generated
    let server = try LoopbackServer(tls: tls) { .text($0.handshake?.clientSubject ?? "") }
    let stranger = try LoopbackServer(tls: .generated).makeClientIdentity(name: "mallory")
    let client = try server.makeClientIdentity(name: "alice")
    for (identity, text) in [(client, "/CN=alice"), (stranger, ""), (nil, "")] {
      var configuration = configuration(server)
      configuration.tls.clientIdentities["127.0.0.1"] = identity.map {
        .init(certificate: .data($0.certificate), key: .data($0.key))
      }
      #expect(try await exchange(server, configuration).text == text)
    }
    let log = try await server.log { $0.failedHandshakes.count == 2 }
    #expect(log.failedHandshakes.contains { $0.contains("peer did not return a certificate") })
  }

  @Test(
    "a server of old versions is refused by a client that wants newer ones, and used by one that does not")
  func versions() async throws {
    var tls = LoopbackServer.TLS.generated
    tls.versions = .v1_2 ... .v1_2
    let server = try LoopbackServer(tls: tls) { .text($0.handshake?.version ?? "") }
    #expect(try await exchange(server, configuration(server)).text == "TLSv1.2")
    var strict = configuration(server)
    strict.tls.minimumVersion = .v1_3
    #expect(try await exchange(server, strict).error != nil)
  }

  @Test("a certificate of your own is served, and its authority is that certificate")
  func ownIdentity() async throws {
    let identity = try LoopbackServer(tls: .generated).makeClientIdentity(name: "localhost")
    let server = try LoopbackServer(tls: .using(identity)) { _ in .text("own") }
    #expect(server.authority == identity.certificate)
    #expect(server.identity == identity)
    #expect(server.pins == [identity.pin])
    #expect(throws: LoopbackServer.SystemError.self) { try server.makeClientIdentity(name: "alice") }
  }

  @Test("text that is no certificate and ciphers that do not exist are refused, and the error says which")
  func invalid() {
    let none = LoopbackServer.Identity(certificate: Data("none".utf8), key: Data())
    #expect(none.pin == "")
    let certificate = #expect(throws: LoopbackServer.SystemError.self) {
      try LoopbackServer(tls: .using(none))
    }
    #expect(certificate?.description.contains("certificates") == true)
    var tls = LoopbackServer.TLS.generated
    tls.ciphers = "nonsense"
    let ciphers = #expect(throws: LoopbackServer.SystemError.self) { try LoopbackServer(tls: tls) }
    #expect(ciphers?.description.contains("no cipher match") == true)
  }

  @Test("a body in whose middle keys change, a ticket comes or TLS 1.2 negotiates again arrives whole")
  func eventsOfTLS() async throws {
    for version in [LoopbackServer.TLS.Version.v1_2, .v1_3] {
      var tls = LoopbackServer.TLS.generated
      tls.versions = version...version
      let server = try LoopbackServer(tls: tls) { _ in
        .repeating(7, count: 3 << 20).tls(.renegotiation, after: 1 << 20).tls(.keyUpdate, after: 2 << 20)
          .tls(.sessionTicket, after: 1)
      }
      let events = try await exchange(server, configuration(server))
      #expect(events.error == nil)
      #expect(events.body.count == 3 << 20)
    }
  }

  @Test("a body that the end of the connection ends is whole with close_notify, and cut off without it")
  func closeNotify() async throws {
    for saysGoodbye in [true, false] {
      var tls = LoopbackServer.TLS.generated
      tls.sendsCloseNotify = saysGoodbye
      let server = try LoopbackServer(tls: tls) { _ in .text("until the end").endedByClosing() }
      #expect((try await exchange(server, configuration(server)).error == nil) == saysGoodbye)
    }
  }

  @Test("a client gives up on a server that does not answer the handshake, and the server sees it leave")
  func stalled() async throws {
    var tls = LoopbackServer.TLS.generated
    tls.stallsHandshake = true
    let server = try LoopbackServer(tls: tls)
    var configuration = configuration(server)
    configuration.timeouts.connect = .milliseconds(200)
    #expect(try await exchange(server, configuration).error != nil)
    let log = try await server.log { $0.connectionsAccepted > 0 && $0.openConnections == 0 }
    #expect(log.requestCount == 0)
  }

  @Test("a large upload and a large download pass over TLS at once, and a cancelled download is abandoned")
  func large() async throws {
    let server = try LoopbackServer(tls: .generated) { request in
      request.path == "/endless" ? .repeating(1, count: 1 << 30) : .bytes(request.body)
    }
    let transport = try CurlTransport(configuration: configuration(server))
    let body = Data((0..<5 << 20).map { UInt8(truncatingIfNeeded: $0 * 31) })
    let request = TransportRequest(method: .put, url: "\(server.origin)/echo", body: .data(body))
    #expect(await transport.exchange(request).body == body)
    let (transfer, _) = transport.record(.init(url: "\(server.origin)/endless"))
    try await server.log { $0.bytesSent > 20 << 20 }
    transfer.cancel()
    try await server.log { $0.abandoned.first?.phase == .sending }
  }

  @Test("messages of a WebSocket pass over TLS in both directions, compressed")
  func webSocket() async throws {
    let frames = Lock(
      (received: [LoopbackServer.WebSocket.Frame](), sent: [LoopbackServer.WebSocket.Frame]()))
    let server = try LoopbackServer(tls: .generated) { _ in
      .webSocket(compression: true) { socket in
        while let message = socket.receive() { socket.send(message) }
        frames.withLock { $0 = (socket.frames, socket.sentFrames) }
      }
    }
    let provider = NetworkProvider<LoopbackTarget>(
      transport: try CurlTransport(configuration: configuration(server)))
    let socket = try await provider.webSocket(LoopbackTarget(server))
    let large = Data(repeating: 7, count: 1 << 20)
    try await socket.send(.binary(large))
    try await socket.send(.text("small"))
    var received: [WebSocketMessage] = []
    for try await message in socket {
      received.append(message)
      if received.count == 2 { break }
    }
    #expect(received == [.binary(large), .text("small")])
    socket.close()
    try await server.log { $0.answered == 1 }
    let (fromClient, fromServer) = frames.withLock { $0 }
    #expect(fromClient.map(\.opcode) == [2, 1, 8])
    #expect(fromServer.map(\.opcode) == [2, 1, 8])
    #expect(fromClient.first?.isCompressed == true && fromServer.first?.isCompressed == true)
    #expect(fromServer.first?.payload.count ?? .max < 10_000)
    #expect(fromClient.map(\.time) == fromClient.map(\.time).sorted())
  }
}
