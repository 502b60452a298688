import ReactiveNetworkChildProcess
import Foundation
import NetworkCore
import Testing

@Suite(
  "Trust in servers",
  .enabled(if: InstalledProgram.canServeTLS, Comment(rawValue: InstalledProgram.skipReason)),
  .timeLimit(.minutes(5))
)
struct ServerTrustTests {
  private let authority: CertificateAuthority
  private let other: CertificateAuthority

  init() throws {
    authority = try CertificateAuthority()
    other = try CertificateAuthority(name: "Other Authority")
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

  private func configuration(_ evaluator: (any ServerTrustEvaluating)? = nil) -> CurlConfiguration {
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(authority.root.pem)
    configuration.serverTrustManager = evaluator.map { ServerTrustManager(evaluators: ["127.0.0.1": $0]) }
    return configuration
  }

  private func fetch(_ nginx: Nginx, site: Int = 0, _ configuration: CurlConfiguration) async throws
    -> String?
  {
    let transport = try CurlTransport(configuration: configuration)
    return problem(await transport.exchange(.init(url: nginx.origin(site))))
  }

  @Test(
    "an authority unknown to the system is rejected, and trusted if it is configured as file or data"
  )
  func authorities() async throws {
    let nginx = try Nginx(.init(identity: try authority.issue()))
    let expected = CertificateProblem.unknownIssuer.description
    #expect(try await fetch(nginx, CurlConfiguration()) == expected)
    #expect(try await fetch(nginx, configuration()) == nil)
    var file = CurlConfiguration()
    file.tls.authorities = .file(authority.root.certificate)
    #expect(try await fetch(nginx, file) == nil)
    file.tls.authorities = .file(other.root.certificate)
    #expect(try await fetch(nginx, file) == expected)
    file.tls.authorities = .data(other.root.pem)
    #expect(try await fetch(nginx, file) == expected)
  }

  @Test("each problem of a certificate is named: expired, for another host, self-signed")
  func problems() async throws {
    let nginx = try Nginx(
      .init(identity: try authority.issue(days: -1)), .init(identity: try authority.issue("DNS:example.com")),
      .init(identity: other.root))
    let configuration = configuration()
    #expect(try await fetch(nginx, site: 0, configuration) == CertificateProblem.expired.description)
    #expect(try await fetch(nginx, site: 1, configuration) == CertificateProblem.wrongHost.description)
    #expect(try await fetch(nginx, site: 2, configuration) == CertificateProblem.selfSigned.description)
  }

  @Test("one of several keys must be the server's; if none is, nothing is sent")
  func publicKeys() async throws {
    let identity = try authority.issue()
    let nginx = try Nginx(.init(identity: identity))
    let right = try identity.pin()
    let wrong = try other.root.pin()
    #expect(try await fetch(nginx, configuration(PublicKeysTrustEvaluator(keys: [right]))) == nil)
    #expect(try await fetch(nginx, configuration(PublicKeysTrustEvaluator(keys: [wrong, right]))) == nil)
    let mismatch = CertificateProblem.pinMismatch.description
    #expect(try await fetch(nginx, configuration(PublicKeysTrustEvaluator(keys: [wrong]))) == mismatch)
    // The chain is checked as well unless disabled; the key is always checked.
    var untrusted = configuration(PublicKeysTrustEvaluator(keys: [right]))
    untrusted.tls.authorities = .system
    #expect(try await fetch(nginx, untrusted) == CertificateProblem.unknownIssuer.description)
    let keyAlone = {
      PublicKeysTrustEvaluator(keys: $0, performDefaultValidation: false, validateHost: false)
    }
    untrusted.serverTrustManager = ServerTrustManager(evaluators: ["127.0.0.1": keyAlone([right])])
    #expect(try await fetch(nginx, untrusted) == nil)
    untrusted.serverTrustManager = ServerTrustManager(evaluators: ["127.0.0.1": keyAlone([wrong])])
    #expect(try await fetch(nginx, untrusted) == mismatch)
  }

  @Test("a pinned certificate is the server's or its authority's, known to the system or not")
  func certificates() async throws {
    let identity = try authority.issue()
    let nginx = try Nginx(
      .init(identity: identity), .init(identity: try authority.issue()), .init(identity: try other.issue()),
      .init(identity: try authority.issue("DNS:example.com")))
    let leaf = configuration(PinnedCertificatesTrustEvaluator(certificates: [try identity.parsed()]))
    let unknown = CertificateProblem.unknownIssuer.description
    #expect(try await fetch(nginx, site: 0, leaf) == nil)
    #expect(try await fetch(nginx, site: 1, leaf) == unknown)
    let root = configuration(
      PinnedCertificatesTrustEvaluator(certificates: [try authority.root.parsed(), try identity.parsed()]))
    #expect(try await fetch(nginx, site: 0, root) == nil)
    #expect(try await fetch(nginx, site: 1, root) == nil)
    #expect(try await fetch(nginx, site: 2, root) == unknown)
    #expect(try await fetch(nginx, site: 3, root) == CertificateProblem.wrongHost.description)
    let anyHost = configuration(
      PinnedCertificatesTrustEvaluator(certificates: [try authority.root.parsed()], validateHost: false))
    #expect(try await fetch(nginx, site: 3, anyHost) == nil)
  }

  @Test("with one transport, a pin applies to one host and not to another, also across a redirect")
  func byHost() async throws {
    let identity = try authority.issue("DNS:localhost,IP:127.0.0.1")
    let site = Nginx.Site(
      identity: identity,
      directives: """
        location / { return 200 "ok"; }
        location /to-name { return 302 https://localhost:$server_port/; }
        location /to-percent { return 302 https://%6cocalhost:$server_port/; }
        """)
    let nginx = try Nginx(site)
    var configuration = configuration()
    let wrong = PublicKeysTrustEvaluator(keys: [try other.root.pin()])
    configuration.serverTrustManager = ServerTrustManager(
      allHostsMustBeEvaluated: false, evaluators: ["LOCALHOST": wrong])
    let transport = try CurlTransport(configuration: configuration)
    for _ in 0..<2 {
      #expect(problem(await transport.exchange(.init(url: nginx.origin()))) == nil)
      for path in ["/to-name", "/to-percent"] {
        let events = await transport.exchange(.init(url: nginx.origin() + path))
        guard case .certificate? = events.error else {
          Issue.record("\(path): \(String(describing: events.error))")
          continue
        }
      }
      let named = await transport.exchange(.init(url: nginx.origin(host: "localhost")))
      #expect(problem(named) == "\(CertificateProblem.pinMismatch) of localhost")
      // libcurl would decode the host and connect to localhost.
      let encoded = await transport.exchange(.init(url: nginx.origin(host: "%6cocalhost")))
      #expect(problem(encoded) == "\(CertificateProblem.noPolicy) of %6cocalhost")
    }
  }

  @Test(
    "a host without an evaluator is rejected if all must have one, and so is one with an empty evaluator")
  func evaluators() async throws {
    let nginx = try Nginx(.init(identity: try authority.issue()))
    var configuration = configuration()
    configuration.serverTrustManager = ServerTrustManager(evaluators: ["example.com": DefaultTrustEvaluator()]
    )
    #expect(try await fetch(nginx, configuration) == CertificateProblem.noPolicy.description)
    configuration.serverTrustManager = ServerTrustManager(
      allHostsMustBeEvaluated: false, evaluators: ["example.com": DefaultTrustEvaluator()])
    #expect(try await fetch(nginx, configuration) == nil)
    for empty: any ServerTrustEvaluating in [
      PublicKeysTrustEvaluator(keys: []), PinnedCertificatesTrustEvaluator(certificates: []),
    ] {
      configuration.serverTrustManager = ServerTrustManager(evaluators: ["*": empty])
      #expect(try await fetch(nginx, configuration) == CertificateProblem.noPolicy.description)
    }
    configuration.serverTrustManager = ServerTrustManager(evaluators: ["*": DefaultTrustEvaluator()])
    #expect(try await fetch(nginx, configuration) == nil)
  }

  @Test(
    "a pin applies to an address however a URL spells it",
    arguments: ["0x7f000001", "2130706433", "127.1", "0177.0.0.1"])
  func spellings(host: String) async throws {
    let nginx = try Nginx(.init(identity: try authority.issue()))
    var configuration = configuration()
    let wrong = PublicKeysTrustEvaluator(keys: [try other.root.pin()])
    configuration.serverTrustManager = ServerTrustManager(
      allHostsMustBeEvaluated: false, evaluators: ["127.0.0.1": wrong])
    let events = await (try CurlTransport(configuration: configuration)).exchange(
      .init(url: nginx.origin(host: host)))
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
    #expect(throws: ServerTrustError.self) { try manager.serverTrustEvaluator(forHost: "other.example") }
  }

  @Test("the checks are disabled only for the given host")
  func disabled() async throws {
    let nginx = try Nginx(.init(identity: try authority.issue("DNS:example.com", days: -1)))
    var configuration = CurlConfiguration()
    configuration.serverTrustManager = ServerTrustManager(
      allHostsMustBeEvaluated: false, evaluators: ["127.0.0.1": DisabledTrustEvaluator()])
    let transport = try CurlTransport(configuration: configuration)
    #expect(problem(await transport.exchange(.init(url: nginx.origin()))) == nil)
    let named = await transport.exchange(.init(url: nginx.origin(host: "localhost")))
    // The certificate has several problems, and versions differ in which one they report.
    let faults = [CertificateProblem.unknownIssuer, .wrongHost, .expired]
    #expect(faults.contains { problem(named) == "\($0) of localhost" })
    #expect(problem(await transport.exchange(.init(url: nginx.origin()))) == nil)
  }

  @Test("the client presents its certificate to the configured host", arguments: ["file", "data"])
  func identity(kind: String) async throws {
    let directives = """
      ssl_client_certificate \(authority.root.certificate); ssl_verify_client optional_no_ca;
      location / { return 200 "$ssl_client_verify"; }
      """
    let nginx = try Nginx(.init(identity: try authority.issue(), directives: directives))
    let client = try authority.issue("DNS:client")
    var configuration = configuration()
    let identity: CurlConfiguration.TLS.ClientIdentity =
      kind == "file"
      ? .init(certificate: .file(client.certificate), key: .file(client.key))
      : .init(certificate: .data(client.pem + client.keyPEM))
    configuration.tls.clientIdentities = ["127.0.0.1": identity]
    let transport = try CurlTransport(configuration: configuration)
    let shown = await transport.exchange(.init(url: nginx.origin()))
    #expect(shown.body == Data("SUCCESS".utf8), "\(String(describing: shown.error))")
    let hidden = await transport.exchange(.init(url: nginx.origin(host: "localhost")))
    #expect(hidden.body == Data("NONE".utf8), "\(String(describing: hidden.error))")
  }

  @Test(
    "a rejected client certificate, and a missing one, are reported", arguments: ["other", "none"])
  func rejected(which: String) async throws {
    let identity = try authority.issue()
    let port = try freePort()
    let (input, lifeline) = try uninheritedSocketPair()
    let server = try ChildProcess(
      try #require(InstalledProgram.openssl.path),
      [
        "s_server", "-accept", "127.0.0.1:\(port)", "-cert", identity.certificate, "-key", identity.key,
        "-www",
      ]
        + ["-CAfile", authority.root.certificate, "-Verify", "2", "-verify_return_error", "-quiet"],
      input: .descriptor(input))
    defer {
      kill(server.id, SIGKILL)
      server.wait()
      close(lifeline)
      close(input)
    }
    var configuration = configuration()
    if which == "other" {
      let client = try other.issue("DNS:client")
      configuration.tls.clientIdentities = [
        "127.0.0.1": .init(certificate: .file(client.certificate), key: .file(client.key))
      ]
    }
    let transport = try CurlTransport(configuration: configuration)
    var error: TransferError?
    // The server needs a moment until it listens, and does not report it.
    await suspendUntil {
      error = await transport.exchange(.init(url: "https://127.0.0.1:\(port)/")).error
      if case .cannotConnect? = error { return false }
      return true
    }
    guard case .certificate(.identityRejected, "127.0.0.1", _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("an identity whose key does not match its certificate cannot be used")
  func wrongKey() async throws {
    let nginx = try Nginx(.init(identity: try authority.issue()))
    let client = try authority.issue("DNS:client")
    var configuration = configuration()
    configuration.tls.clientIdentities = [
      "*": .init(certificate: .file(client.certificate), key: .file(authority.root.key))
    ]
    let found = try await fetch(nginx, configuration)
    #expect(found == CertificateProblem.unusableIdentity.description)
  }

  @Test("versions below the minimum are not used")
  func versions() async throws {
    let identity = try authority.issue()
    let directives = { (protocols: String) in
      #"ssl_protocols \#(protocols); location / { return 200 "$ssl_protocol"; }"#
    }
    let nginx = try Nginx(
      .init(identity: identity, directives: directives("TLSv1.2")),
      .init(identity: identity, directives: directives("TLSv1.2 TLSv1.3")))
    var configuration = configuration()
    configuration.tls.minimumVersion = .v1_3
    let refused = await (try CurlTransport(configuration: configuration)).exchange(.init(url: nginx.origin()))
    guard case .secureConnectionFailed? = refused.error else {
      Issue.record("\(String(describing: refused.error))")
      return
    }
    let new = await (try CurlTransport(configuration: configuration)).exchange(.init(url: nginx.origin(1)))
    #expect(new.body == Data("TLSv1.3".utf8))
    configuration.tls.minimumVersion = .v1_2
    configuration.tls.maximumVersion = .v1_2
    let old = await (try CurlTransport(configuration: configuration)).exchange(.init(url: nginx.origin(1)))
    #expect(old.body == Data("TLSv1.2".utf8))
  }

  @Test("only the configured ciphers are used")
  func ciphers() async throws {
    let directives = #"ssl_protocols TLSv1.2 TLSv1.3; location / { return 200 "$ssl_cipher"; }"#
    let nginx = try Nginx(.init(identity: try authority.issue(), directives: directives))
    var configuration = configuration()
    configuration.tls.ciphersTLS13 = "TLS_CHACHA20_POLY1305_SHA256"
    let new = await (try CurlTransport(configuration: configuration)).exchange(.init(url: nginx.origin()))
    #expect(new.body == Data("TLS_CHACHA20_POLY1305_SHA256".utf8))
    configuration.tls.maximumVersion = .v1_2
    configuration.tls.ciphers = "ECDHE-ECDSA-AES256-GCM-SHA384"
    let old = await (try CurlTransport(configuration: configuration)).exchange(.init(url: nginx.origin()))
    #expect(old.body == Data("ECDHE-ECDSA-AES256-GCM-SHA384".utf8))
  }

  @Test("if a revocation status is required, a server without one or with a revoked one is rejected")
  func revocation() async throws {
    let issued = try authority.issue()
    // libcurl searches the server's chain for the issuer, which signed the response.
    let chain = URL(fileURLWithPath: issued.certificate + ".chain")
    try (issued.pem + authority.root.pem).write(to: chain)
    let identity = try CertificateAuthority.Identity(certificate: chain.path, key: issued.key)
    let sites = try [nil, false, true].map { isRevoked in
      let file = try isRevoked.map { try authority.ocspResponse(for: issued, isRevoked: $0) }
      let stapling = file.map { "ssl_stapling on; ssl_stapling_file \($0);" } ?? ""
      return Nginx.Site(identity: identity, directives: stapling + #" location / { return 200 "ok"; }"#)
    }
    let nginx = try Nginx(sites[0], sites[1], sites[2])
    let strict = configuration(RevocationTrustEvaluator(options: .requirePositiveResponse))
    #expect(try await fetch(nginx, site: 0, strict) == CertificateProblem.noStatus.description)
    #expect(try await fetch(nginx, site: 1, strict) == nil)
    #expect(try await fetch(nginx, site: 2, strict) == CertificateProblem.revoked.description)
    #expect(try await fetch(nginx, site: 0, configuration(DefaultTrustEvaluator())) == nil)
  }

  @Test("each check of a composite's evaluators applies, and only keys and certificates of all are trusted")
  func composite() async throws {
    let identity = try authority.issue("DNS:example.com")
    let nginx = try Nginx(.init(identity: identity))
    let pin = try identity.pin()
    let anyHost = PublicKeysTrustEvaluator(keys: [pin, try other.root.pin()], validateHost: false)
    let wrong = PublicKeysTrustEvaluator(keys: [try other.root.pin()], validateHost: false)
    #expect(
      try await fetch(nginx, configuration(CompositeTrustEvaluator(evaluators: [anyHost, anyHost]))) == nil)
    #expect(
      try await fetch(
        nginx, configuration(CompositeTrustEvaluator(evaluators: [anyHost, DefaultTrustEvaluator()])))
        == CertificateProblem.wrongHost.description)
    #expect(
      try await fetch(nginx, configuration(CompositeTrustEvaluator(evaluators: [anyHost, wrong])))
        == CertificateProblem.pinMismatch.description)
    let neither = CompositeTrustEvaluator(evaluators: [
      PublicKeysTrustEvaluator(keys: [pin]), PublicKeysTrustEvaluator(keys: [try other.root.pin()]),
    ])
    #expect(throws: ServerTrustError.noCommonPolicy) { try neither.policy(forHost: "h") }
    #expect(try CompositeTrustEvaluator(evaluators: []).policy(forHost: "h") == ServerTrustPolicy())
    let both = try CompositeTrustEvaluator(evaluators: [
      PinnedCertificatesTrustEvaluator(certificates: [try authority.root.parsed(), try other.root.parsed()]),
      RevocationTrustEvaluator(),
      PinnedCertificatesTrustEvaluator(certificates: [try other.root.parsed()]),
    ]).policy(forHost: "h")
    #expect(both.anchors == [try other.root.parsed()])
    #expect(both.requiresStatus)
  }
}
