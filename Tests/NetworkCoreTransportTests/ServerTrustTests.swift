import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

@Suite("Trust in servers", .timeLimit(.minutes(5)))
struct ServerTrustTests {
  private let server: LoopbackServer
  /// A server with another authority.
  private let other: LoopbackServer

  init() throws {
    server = try LoopbackServer(tls: .generated) { _ in .text("ok") }
    other = try LoopbackServer(tls: .generated) { _ in .text("ok") }
  }

  /// Returns the problem, the name of another error, or `nil` on success.
  private func problem(_ events: TransferRecorder.Events) -> String? {
    switch events.error {
    case nil: events.body.isEmpty ? "no body" : nil
    case .certificate(let problem, "127.0.0.1", _)?: "\(problem)"
    case .certificate(let problem, let host, _)?: "\(problem) of \(host)"
    case let error?: "\(error)"
    }
  }

  /// Returns a configuration with the authority of `server`, or of the suite's server.
  private func configuration(
    _ evaluator: (any ServerTrustEvaluating)? = nil, trusting server: LoopbackServer? = nil
  ) -> CurlConfiguration {
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data((server ?? self.server).authority)
    configuration.serverTrustManager = evaluator.map { ServerTrustManager(evaluators: ["127.0.0.1": $0]) }
    return configuration
  }

  private func fetch(_ server: LoopbackServer, _ configuration: CurlConfiguration) async throws -> String? {
    problem(await (try CurlTransport(configuration: configuration)).exchange(.init(url: server.origin)))
  }

  private func pin(_ server: LoopbackServer) throws -> PublicKeyPin {
    try PublicKeyPin(#require(server.pins.first))
  }

  private func certificate(_ pem: Data) throws -> Certificate {
    try Certificate.certificates(pem: String(decoding: pem, as: UTF8.self))[0]
  }

  @Test(
    "an authority unknown to the system is rejected, and trusted if it is configured as file or data"
  )
  func authorities() async throws {
    let expected = CertificateProblem.unknownIssuer.description
    #expect(try await fetch(server, CurlConfiguration()) == expected)
    #expect(try await fetch(server, configuration()) == nil)
    let folder = try TemporaryFolder()
    var file = CurlConfiguration()
    file.tls.authorities = .file(try folder.file("right", containing: server.authority).path)
    #expect(try await fetch(server, file) == nil)
    file.tls.authorities = .file(try folder.file("wrong", containing: other.authority).path)
    #expect(try await fetch(server, file) == expected)
    withExtendedLifetime(folder) {}
    #expect(try await fetch(server, configuration(trusting: other)) == expected)
  }

  @Test("a change of the file of authorities counts for new connections")
  func changedFile() async throws {
    let sibling = try LoopbackServer(tls: .using(server.makeClientIdentity(name: "127.0.0.1"))) { _ in
      .text("ok")
    }
    let folder = try TemporaryFolder()
    let file = try folder.file(containing: server.authority)
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .file(file.path)
    // Other programs wait for a minute.
    configuration.tls.authoritiesCacheTime = 0
    let transport = try CurlTransport(configuration: configuration)
    #expect(problem(await transport.exchange(.init(url: server.origin))) == nil)
    try other.authority.write(to: file)
    #expect(problem(await transport.exchange(.init(url: other.origin))) == nil)
    // Not `server`, whose TLS session is resumed.
    let untrusted = await transport.exchange(.init(url: sibling.origin))
    #expect(problem(untrusted) == CertificateProblem.unknownIssuer.description)
    withExtendedLifetime(folder) {}
  }

  @Test(
    "each problem of a certificate is named: expired, for another host, self-signed",
    arguments: [
      (LoopbackServer.TLS.Flaw.expired, CertificateProblem.expired), (.wrongHost, .wrongHost),
      (.selfSigned, .selfSigned),
    ])
  func problems(flaw: LoopbackServer.TLS.Flaw, expected: CertificateProblem) async throws {
    let flawed = try LoopbackServer(tls: .generated(flaw: flaw)) { _ in .text("ok") }
    #expect(try await fetch(flawed, configuration(trusting: flawed)) == expected.description)
  }

  @Test("one of several keys must be the server's; if none is, nothing is sent")
  func publicKeys() async throws {
    let right = try pin(server)
    let wrong = try pin(other)
    #expect(try await fetch(server, configuration(PublicKeysTrustEvaluator(keys: [right]))) == nil)
    #expect(try await fetch(server, configuration(PublicKeysTrustEvaluator(keys: [wrong, right]))) == nil)
    let mismatch = CertificateProblem.pinMismatch.description
    #expect(try await fetch(server, configuration(PublicKeysTrustEvaluator(keys: [wrong]))) == mismatch)
    #expect(server.log.requestCount == 2)
    // The chain is checked as well unless disabled; the key is always checked.
    var untrusted = configuration(PublicKeysTrustEvaluator(keys: [right]))
    untrusted.tls.authorities = .system
    #expect(try await fetch(server, untrusted) == CertificateProblem.unknownIssuer.description)
    let keyAlone = {
      PublicKeysTrustEvaluator(keys: $0, performDefaultValidation: false, validateHost: false)
    }
    untrusted.serverTrustManager = ServerTrustManager(evaluators: ["127.0.0.1": keyAlone([right])])
    #expect(try await fetch(server, untrusted) == nil)
    untrusted.serverTrustManager = ServerTrustManager(evaluators: ["127.0.0.1": keyAlone([wrong])])
    #expect(try await fetch(server, untrusted) == mismatch)
    #expect(server.log.requestCount == 3)
  }

  @Test("a pinned certificate is the server's or its authority's, known to the system or not")
  func certificates() async throws {
    // These certificates have a common name and no others, so libcurl compares it with the host.
    let identity = try server.makeClientIdentity(name: "127.0.0.1")
    let serve = { (identity: LoopbackServer.Identity) in
      try LoopbackServer(tls: .using(identity)) { _ in .text("ok") }
    }
    let own = try serve(identity)
    let sibling = try serve(server.makeClientIdentity(name: "127.0.0.1"))
    let stranger = try serve(other.makeClientIdentity(name: "127.0.0.1"))
    let elsewhere = try serve(server.makeClientIdentity(name: "example.com"))
    let (authority, leaf) = (try certificate(server.authority), try certificate(identity.certificate))
    let pinned = configuration(PinnedCertificatesTrustEvaluator(certificates: [leaf]))
    let unknown = CertificateProblem.unknownIssuer.description
    #expect(try await fetch(own, pinned) == nil)
    #expect(try await fetch(sibling, pinned) == unknown)
    let root = configuration(PinnedCertificatesTrustEvaluator(certificates: [authority, leaf]))
    #expect(try await fetch(own, root) == nil)
    #expect(try await fetch(sibling, root) == nil)
    #expect(try await fetch(stranger, root) == unknown)
    #expect(try await fetch(elsewhere, root) == CertificateProblem.wrongHost.description)
    let anyHost = configuration(
      PinnedCertificatesTrustEvaluator(certificates: [authority], validateHost: false))
    #expect(try await fetch(elsewhere, anyHost) == nil)
  }

  @Test("with one transport, a pin applies to one host and not to another, also across a redirect")
  func byHost() async throws {
    let port = server.port
    server.route("/to-name") { _ in .redirect(to: "https://localhost:\(port)/") }
    server.route("/to-percent") { _ in .redirect(to: "https://%6cocalhost:\(port)/") }
    var configuration = configuration()
    let wrong = PublicKeysTrustEvaluator(keys: [try pin(other)])
    configuration.serverTrustManager = ServerTrustManager(
      allHostsMustBeEvaluated: false, evaluators: ["LOCALHOST": wrong])
    let transport = try CurlTransport(configuration: configuration)
    for _ in 0..<2 {
      #expect(problem(await transport.exchange(.init(url: server.origin))) == nil)
      for path in ["/to-name", "/to-percent"] {
        let events = await transport.exchange(.init(url: server.origin + path))
        guard case .certificate? = events.error else {
          Issue.record("\(path): \(String(describing: events.error))")
          continue
        }
      }
      let named = await transport.exchange(.init(url: "https://localhost:\(port)/"))
      #expect(problem(named) == "\(CertificateProblem.pinMismatch) of localhost")
      // libcurl would decode the host and connect to localhost.
      let encoded = await transport.exchange(.init(url: "https://%6cocalhost:\(port)/"))
      #expect(problem(encoded) == "\(CertificateProblem.noPolicy) of %6cocalhost")
    }
  }

  /// Has no evaluator, and counts the calls.
  // `@unchecked Sendable` because its superclass is: it adds a constant of a `Sendable` type.
  private final class CountingTrustManager: ServerTrustManager, @unchecked Sendable {
    let hosts = Lock<[String]>([])

    init() { super.init(allHostsMustBeEvaluated: false, evaluators: [:]) }

    override func serverTrustEvaluator(forHost host: String) throws -> (any ServerTrustEvaluating)? {
      hosts.withLock { $0.append(host) }
      return nil
    }
  }

  @Test("a trust manager is asked once for a host, whatever the port and the credential of a request")
  func onceForEachHost() async throws {
    let manager = CountingTrustManager()
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority + other.authority)
    configuration.serverTrustManager = manager
    let transport = try CurlTransport(configuration: configuration)
    let authorized = TransportRequest(url: server.origin, headers: ["Authorization": "mine"])
    for request in [TransportRequest(url: server.origin), .init(url: other.origin), authorized] {
      #expect(problem(await transport.exchange(request)) == nil)
    }
    #expect(manager.hosts.withLock { $0 } == ["127.0.0.1"])
  }

  @Test(
    "a host without an evaluator is rejected if all must have one, and so is one with an empty evaluator")
  func evaluators() async throws {
    var configuration = configuration()
    configuration.serverTrustManager = ServerTrustManager(evaluators: ["example.com": DefaultTrustEvaluator()]
    )
    #expect(try await fetch(server, configuration) == CertificateProblem.noPolicy.description)
    configuration.serverTrustManager = ServerTrustManager(
      allHostsMustBeEvaluated: false, evaluators: ["example.com": DefaultTrustEvaluator()])
    #expect(try await fetch(server, configuration) == nil)
    for empty: any ServerTrustEvaluating in [
      PublicKeysTrustEvaluator(keys: []), PinnedCertificatesTrustEvaluator(certificates: []),
    ] {
      configuration.serverTrustManager = ServerTrustManager(evaluators: ["*": empty])
      #expect(try await fetch(server, configuration) == CertificateProblem.noPolicy.description)
    }
    configuration.serverTrustManager = ServerTrustManager(evaluators: ["*": DefaultTrustEvaluator()])
    #expect(try await fetch(server, configuration) == nil)
  }

  @Test(
    "a pin applies to an address however a URL spells it",
    arguments: ["0x7f000001", "2130706433", "127.1", "0177.0.0.1"])
  func spellings(host: String) async throws {
    var configuration = configuration()
    let wrong = PublicKeysTrustEvaluator(keys: [try pin(other)])
    configuration.serverTrustManager = ServerTrustManager(
      allHostsMustBeEvaluated: false, evaluators: ["127.0.0.1": wrong])
    let events = await (try CurlTransport(configuration: configuration)).exchange(
      .init(url: "https://\(host):\(server.port)/"))
    guard case .certificate(.pinMismatch, _, _)? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
  }

  @Test(
    "an evaluator is found for every spelling of its host",
    arguments: [
      ("::1", "[0:0:0:0:0:0:0:1]"), ("[::1]", "::0001"), ("::ffff:1.2.3.4", "[::FFFF:102:304]"),
      ("10.0.0.1", "10.1"), ("0xa000001", "10.0.0.1"), ("Example.com", "example.com."),
      ("1.example", "1.EXAMPLE"),
    ])
  func spellingsOfKeys(key: String, host: String) throws {
    let manager = ServerTrustManager(evaluators: [key: DefaultTrustEvaluator()])
    #expect(try manager.serverTrustEvaluator(forHost: host) != nil)
    #expect(throws: ServerTrustError.noRequiredEvaluator(host: "other.example")) {
      try manager.serverTrustEvaluator(forHost: "other.example")
    }
  }

  @Test("an evaluator with nothing to compare throws an error that says what is missing")
  func nothingToCompare() {
    #expect(throws: ServerTrustError.noCertificatesFound) {
      try PinnedCertificatesTrustEvaluator(certificates: []).policy(forHost: "h")
    }
    #expect(throws: ServerTrustError.noPublicKeysFound) {
      try PublicKeysTrustEvaluator(keys: []).policy(forHost: "h")
    }
  }

  @Test(
    "the checks are disabled only for the given host",
    arguments: [LoopbackServer.TLS.Flaw.expired, .wrongHost])
  func disabled(flaw: LoopbackServer.TLS.Flaw) async throws {
    let flawed = try LoopbackServer(tls: .generated(flaw: flaw)) { _ in .text("ok") }
    var configuration = CurlConfiguration()
    configuration.serverTrustManager = ServerTrustManager(
      allHostsMustBeEvaluated: false, evaluators: ["127.0.0.1": DisabledTrustEvaluator()])
    let transport = try CurlTransport(configuration: configuration)
    #expect(problem(await transport.exchange(.init(url: flawed.origin))) == nil)
    let named = await transport.exchange(.init(url: "https://localhost:\(flawed.port)/"))
    // The certificate has several problems, and versions differ in which one they report.
    let faults = [CertificateProblem.unknownIssuer, .wrongHost, .expired]
    #expect(faults.contains { problem(named) == "\($0) of localhost" })
    #expect(problem(await transport.exchange(.init(url: flawed.origin))) == nil)
  }

  /// Starts a server that demands certificates of its authority, and sends their subjects.
  private func demandingServer() throws -> LoopbackServer {
    var tls = LoopbackServer.TLS.generated
    tls.clientCertificates = .generated
    return try LoopbackServer(tls: tls) { .text($0.handshake?.clientSubject ?? "none") }
  }

  @Test("the client presents its certificate to the configured host", arguments: ["file", "data"])
  func identity(kind: String) async throws {
    let demanding = try demandingServer()
    let client = try demanding.makeClientIdentity(name: "client")
    let folder = try TemporaryFolder()
    let files = [
      try folder.file("certificate", containing: client.certificate),
      try folder.file("key", containing: client.key),
    ]
    var configuration = configuration(trusting: demanding)
    configuration.tls.clientIdentities["127.0.0.1"] =
      kind == "file"
      ? .init(certificate: .file(files[0].path), key: .file(files[1].path))
      : .init(certificate: .data(client.certificate + client.key))
    let transport = try CurlTransport(configuration: configuration)
    let shown = await transport.exchange(.init(url: demanding.origin))
    #expect(shown.body == Data("/CN=client".utf8), "\(String(describing: shown.error))")
    let hidden = await transport.exchange(.init(url: "https://localhost:\(demanding.port)/"))
    #expect(problem(hidden) == "\(CertificateProblem.identityRejected) of localhost")
    let log = try await demanding.log { !$0.failedHandshakes.isEmpty }
    #expect(log.failedHandshakes == ["peer did not return a certificate"])
    withExtendedLifetime(folder) {}
  }

  @Test(
    "a rejected client certificate, and a missing one, are reported", arguments: ["other", "none"])
  func rejected(which: String) async throws {
    let demanding = try demandingServer()
    var configuration = configuration(trusting: demanding)
    if which == "other" {
      let client = try other.makeClientIdentity(name: "client")
      configuration.tls.clientIdentities["127.0.0.1"] = .init(
        certificate: .data(client.certificate), key: .data(client.key))
    }
    #expect(try await fetch(demanding, configuration) == CertificateProblem.identityRejected.description)
  }

  @Test("an identity whose key does not match its certificate cannot be used")
  func wrongKey() async throws {
    let folder = try TemporaryFolder()
    let certificate = try server.makeClientIdentity(name: "client").certificate
    let key = try server.makeClientIdentity(name: "client").key
    var configuration = configuration()
    configuration.tls.clientIdentities["*"] = .init(
      certificate: .file(try folder.file("certificate", containing: certificate).path),
      key: .file(try folder.file("key", containing: key).path))
    #expect(try await fetch(server, configuration) == CertificateProblem.unusableIdentity.description)
    withExtendedLifetime(folder) {}
  }

  @Test(
    "keys that would have no effect are an error",
    arguments: [
      "localhost.", "localhost:8443", "https://localhost", "localhost/", "", "*.*", "*.", "[::1]:8443", "[a]",
      "local host",
    ])
  func keysWithoutEffect(key: String) {
    let refused = { (name: String, change: (inout CurlConfiguration) -> Void) -> Bool in
      var configuration = CurlConfiguration()
      change(&configuration)
      do throws(CurlConfigurationError) {
        _ = try CurlTransport(configuration: configuration)
        return false
      } catch {
        let reason =
          key == "localhost."
          ? "it has the same meaning as another key" : "it is not a host: a name or an address without a port"
        return error == .invalid(name: name, value: key, reason: reason)
      }
    }
    let identity = CurlConfiguration.TLS.ClientIdentity(certificate: .file("/a"), key: .file("/b"))
    #expect(
      refused("tls.clientIdentities") { $0.tls.clientIdentities = ["LocalHost": identity, key: identity] })
    #expect(
      refused("serverTrustManager.evaluators") {
        $0.serverTrustManager = ServerTrustManager(evaluators: [
          "LocalHost": DefaultTrustEvaluator(), key: DisabledTrustEvaluator(),
        ])
      })
  }

  @Test("versions below the minimum are not used")
  func versions() async throws {
    let serve = { (newest: LoopbackServer.TLS.Version) in
      var tls = LoopbackServer.TLS.generated
      tls.versions = .v1_2...newest
      return try LoopbackServer(tls: tls) { .text($0.handshake?.version ?? "none") }
    }
    let (old, new) = (try serve(.v1_2), try serve(.v1_3))
    var configuration = configuration(trusting: old)
    configuration.tls.minimumVersion = .v1_3
    let refused = await (try CurlTransport(configuration: configuration)).exchange(.init(url: old.origin))
    guard case .secureConnectionFailed? = refused.error else {
      Issue.record("\(String(describing: refused.error))")
      return
    }
    configuration.tls.authorities = .data(new.authority)
    let newest = await (try CurlTransport(configuration: configuration)).exchange(.init(url: new.origin))
    #expect(newest.body == Data("TLSv1.3".utf8))
    configuration.tls.minimumVersion = .v1_2
    configuration.tls.maximumVersion = .v1_2
    let oldest = await (try CurlTransport(configuration: configuration)).exchange(.init(url: new.origin))
    #expect(oldest.body == Data("TLSv1.2".utf8))
  }

  @Test("only the configured ciphers are used")
  func ciphers() async throws {
    let server = try LoopbackServer(tls: .generated) { .text($0.handshake?.cipher ?? "none") }
    var configuration = configuration(trusting: server)
    configuration.tls.ciphersTLS13 = "TLS_CHACHA20_POLY1305_SHA256"
    let new = await (try CurlTransport(configuration: configuration)).exchange(.init(url: server.origin))
    #expect(new.body == Data("TLS_CHACHA20_POLY1305_SHA256".utf8))
    configuration.tls.maximumVersion = .v1_2
    configuration.tls.ciphers = "ECDHE-ECDSA-AES256-GCM-SHA384"
    let old = await (try CurlTransport(configuration: configuration)).exchange(.init(url: server.origin))
    #expect(old.body == Data("ECDHE-ECDSA-AES256-GCM-SHA384".utf8))
  }

  @Test("if a revocation status is required, a server without one or with a revoked one is rejected")
  func revocation() async throws {
    var stapling = LoopbackServer.TLS.generated
    stapling.staplesStatus = true
    let good = try LoopbackServer(tls: stapling) { _ in .text("ok") }
    let revoked = try LoopbackServer(tls: .generated(flaw: .revoked)) { _ in .text("ok") }
    let strict = RevocationTrustEvaluator(options: .requirePositiveResponse)
    #expect(try await fetch(server, configuration(strict)) == CertificateProblem.noStatus.description)
    #expect(try await fetch(good, configuration(strict, trusting: good)) == nil)
    #expect(
      try await fetch(revoked, configuration(strict, trusting: revoked))
        == CertificateProblem.revoked.description)
    #expect(try await fetch(server, configuration(DefaultTrustEvaluator())) == nil)
  }

  @Test("each check of a composite's evaluators applies, and only keys and certificates of all are trusted")
  func composite() async throws {
    let elsewhere = try LoopbackServer(tls: .generated(flaw: .wrongHost)) { _ in .text("ok") }
    let (right, wrong) = (try pin(elsewhere), try pin(other))
    let anyHost = PublicKeysTrustEvaluator(keys: [right, wrong], validateHost: false)
    let wrongKey = PublicKeysTrustEvaluator(keys: [wrong], validateHost: false)
    for (second, expected) in [
      (anyHost, nil), (DefaultTrustEvaluator(), .wrongHost), (wrongKey, .pinMismatch),
    ] as [(any ServerTrustEvaluating, CertificateProblem?)] {
      let both = CompositeTrustEvaluator(evaluators: [anyHost, second])
      #expect(
        try await fetch(elsewhere, configuration(both, trusting: elsewhere)) == expected?.description)
    }
    let neither = CompositeTrustEvaluator(evaluators: [
      PublicKeysTrustEvaluator(keys: [right]), PublicKeysTrustEvaluator(keys: [wrong]),
    ])
    #expect(throws: ServerTrustError.noCommonPolicy) { try neither.policy(forHost: "h") }
    #expect(try CompositeTrustEvaluator(evaluators: []).policy(forHost: "h") == ServerTrustPolicy())
    let authorities = try [server, other].map { try certificate($0.authority) }
    let both = try CompositeTrustEvaluator(evaluators: [
      PinnedCertificatesTrustEvaluator(certificates: authorities),
      RevocationTrustEvaluator(),
      PinnedCertificatesTrustEvaluator(certificates: [authorities[1]]),
    ]).policy(forHost: "h")
    #expect(both.anchors == [authorities[1]])
    #expect(both.requiresStatus)
  }
}
