import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Invalid configurations")
struct CurlConfigurationTests {
  private func refusal(_ change: (inout CurlConfiguration) -> Void) -> CurlConfigurationError? {
    var configuration = CurlConfiguration()
    change(&configuration)
    do throws(CurlConfigurationError) {
      _ = try CurlTransport(configuration: configuration)
      return nil
    } catch {
      return error
    }
  }

  @Test("the error for a missing file names it")
  func files() {
    let path = "/no/such/file.pem"
    #expect(refusal { $0.tls.authorities = .file(path) } == .unreadableFile(path: path))
    #expect(
      refusal { $0.tls.clientIdentities["*"] = .init(certificate: .file(path)) }
        == .unreadableFile(path: path))
  }

  @Test("the message about a file says whether it cannot be read or written")
  func fileMessages() {
    typealias Failure = CurlConfigurationError
    #expect(Failure.unreadableFile(path: "/a").localizedDescription == "The file \"/a\" cannot be read.")
    #expect(Failure.unwritableFile(path: "/a").localizedDescription == "The file \"/a\" cannot be written.")
  }

  @Test("data that is not a certificate, and reversed version limits, are rejected")
  func values() {
    guard
      case .invalid("tls.authorities", "3 bytes", _)? = refusal({
        $0.tls.authorities = .data(Data("abc".utf8))
      })
    else {
      Issue.record("the bytes were accepted")
      return
    }
    let versions = refusal {
      $0.tls.minimumVersion = .v1_3
      $0.tls.maximumVersion = .v1_2
    }
    guard case .invalid("tls.maximumVersion", "v1_2", _)? = versions else {
      Issue.record("\(String(describing: versions))")
      return
    }
  }

  @Test(
    "HTTP/3 requires a libcurl with HTTP/3; otherwise the error names the library's version",
    arguments: [CurlConfiguration.VersionPolicy.http3, .http3IfAdvertised])
  func http3(policy: CurlConfiguration.VersionPolicy) throws {
    let library = try CurlLibrary(
      names: CurlLibrary.names, unsupportedOptions: ["HTTP/3 (CURLOPT_HTTP_VERSION)"])
    var configuration = CurlConfiguration()
    configuration.httpVersion = policy
    let missing = #expect(throws: CurlConfigurationError.self) {
      try CurlTransport(library: library, configuration: configuration)
    }
    // The installed libcurl may support it.
    for error in [missing, refusal { $0.httpVersion = policy }].compactMap(\.self) {
      guard case .unsupported("HTTP/3 (CURLOPT_HTTP_VERSION)", let version) = error else {
        Issue.record("\(error)")
        continue
      }
      #expect(version.hasPrefix("libcurl/"))
      #expect(error.localizedDescription == "\(version) has no HTTP/3 (CURLOPT_HTTP_VERSION).")
    }
  }

  @Test("HTTP/3 includes TLS 1.3, so a lower limit is rejected")
  func http3Limit() {
    let limited = refusal {
      $0.httpVersion = .http3
      $0.tls.maximumVersion = .v1_2
    }
    guard case .invalid("httpVersion", "http3", _)? = limited else {
      Issue.record("\(String(describing: limited))")
      return
    }
  }

  @Test("a pin is 32 bytes, with or without a prefix", arguments: ["", "sha256/", "sha256//"])
  func pins(prefix: String) throws {
    let hash = Data(0..<32)
    let pin = try PublicKeyPin(prefix + hash.base64EncodedString())
    #expect(pin.sha256 == hash)
    #expect(pin.description == "sha256//AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
    for text in ["", "/etc/passwd", "abc", hash.dropLast().base64EncodedString()] {
      #expect(throws: PublicKeyPinError.self) { try PublicKeyPin(prefix + text) }
    }
  }

  @Test(
    "the Base64 of a pin may begin with a slash or like a prefix", arguments: ["", "sha256/", "sha256//"])
  func pinsLikePrefixes(prefix: String) throws {
    for hash in ["/", "//", "sha256/", "sha256//"] {
      let text = hash + String(repeating: "A", count: 43 - hash.count) + "="
      #expect(try PublicKeyPin(prefix + text).description == "sha256//" + text)
    }
  }

  @Test("a certificate is exactly one DER sequence")
  func certificates() throws {
    #expect(throws: CertificateFormatError.notDER(byteCount: 0)) { try Certificate(der: Data()) }
    #expect(throws: CertificateFormatError.notDER(byteCount: 3)) { try Certificate(der: Data([0x30, 2, 0])) }
    #expect(try Certificate(der: Data([0x30, 1, 0])).der == Data([0x30, 1, 0]))
    #expect(throws: CertificateFormatError.notDER(byteCount: 3)) { try Certificate(der: Data([0x31, 1, 0])) }
    // An indefinite length, a length field that is longer than a certificate needs, and a byte too many.
    for bytes: [UInt8] in [[0x30, 0x80], [0x30, 0x85, 0, 0, 0, 0, 1, 0], [0x30, 1, 0, 0]] {
      #expect(throws: CertificateFormatError.notDER(byteCount: bytes.count)) {
        try Certificate(der: Data(bytes))
      }
    }
    let long = Data([0x30, 0x82, 1, 0]) + Data(count: 256)
    #expect(throws: CertificateFormatError.notDER(byteCount: 261)) { try Certificate(der: long + Data([0])) }
    let certificate = try Certificate(der: long)
    #expect(
      try Certificate.certificates(pem: certificate.pem + "between\n" + certificate.pem) == [
        certificate, certificate,
      ])
    #expect(throws: CertificateFormatError.notPEM) { try Certificate.certificates(pem: "none") }
    #expect(throws: CertificateFormatError.notPEM) {
      try Certificate.certificates(pem: "-----BEGIN CERTIFICATE-----\nMAEA\n")
    }
  }

  @Test(
    "the most specific evaluator is used",
    arguments: [
      ("api.example.com", "exact"), ("API.Example.Com.", "exact"), ("www.example.com", "wildcard"),
      ("a.b.example.com", "wildcard"), ("a.c.example.com", "deeper"), ("example.com", "all"),
      ("badexample.com", "all"), ("10.0.0.1", "all"), ("[::1]", "six"), ("::1", "six"),
    ])
  func wildcards(host: String, expected: String) throws {
    struct NamedEvaluator: ServerTrustEvaluating {
      let name: String
      func policy(forHost host: String) -> ServerTrustPolicy { ServerTrustPolicy() }
    }
    let names = [
      "Api.example.com": "exact", "*.example.com": "wildcard", "*": "all", "*.0.0.1": "address",
      "[::1]": "six", "*.c.example.com": "deeper",
    ]
    let manager = ServerTrustManager(evaluators: names.mapValues(NamedEvaluator.init))
    #expect((try manager.serverTrustEvaluator(forHost: host) as? NamedEvaluator)?.name == expected)
  }

  @Test("an evaluator's policy states its checks, and evaluators can be combined")
  func policies() throws {
    func checks(_ evaluator: any ServerTrustEvaluating) throws -> String {
      let policy = try evaluator.policy(forHost: "h")
      return [
        policy.checksChain ? "chain" : nil, policy.checksHost ? "host" : nil,
        policy.requiresStatus ? "status" : nil,
      ].compactMap(\.self).joined(separator: " ")
    }
    let anyHost = DefaultTrustEvaluator(validateHost: false)
    let noChain = RevocationTrustEvaluator(performDefaultValidation: false)
    #expect(try checks(DefaultTrustEvaluator()) == "chain host")
    #expect(try checks(anyHost) == "chain")
    #expect(try checks(RevocationTrustEvaluator()) == "chain host status")
    #expect(try checks(noChain) == "host status")
    #expect(try checks(RevocationTrustEvaluator(validateHost: false)) == "chain status")
    #expect(try checks(DisabledTrustEvaluator()) == "")
    let pairs: [(any ServerTrustEvaluating, any ServerTrustEvaluating, String)] = [
      (DisabledTrustEvaluator(), DisabledTrustEvaluator(), ""),
      (DisabledTrustEvaluator(), anyHost, "chain"), (anyHost, noChain, "chain host status"),
    ]
    for (first, second, expected) in pairs {
      #expect(try checks(CompositeTrustEvaluator(evaluators: [first, second])) == expected)
      #expect(try checks(CompositeTrustEvaluator(evaluators: [second, first])) == expected)
    }
  }

  @Test("a policy that no key could satisfy is rejected, and so is a pin of another length")
  func noKeys() {
    struct KeylessEvaluator: ServerTrustEvaluating {
      func policy(forHost host: String) -> ServerTrustPolicy {
        var policy = ServerTrustPolicy()
        policy.publicKeys = []
        return policy
      }
    }
    guard
      case .invalid("publicKeys", "[]", _)? = refusal({
        $0.serverTrustManager = ServerTrustManager(evaluators: ["h": KeylessEvaluator()])
      })
    else {
      Issue.record("it was accepted")
      return
    }
    for count in [0, 31, 33] {
      #expect(throws: PublicKeyPinError.self) { try PublicKeyPin(sha256: Data(count: count)) }
    }
  }

  @Test("a policy that no authority could satisfy is rejected")
  func noAnchors() {
    struct AnchorlessEvaluator: ServerTrustEvaluating {
      func policy(forHost host: String) -> ServerTrustPolicy {
        var policy = ServerTrustPolicy()
        policy.anchors = []
        return policy
      }
    }
    guard
      case .invalid("tls.authorities", "0 bytes", _)? = refusal({
        $0.serverTrustManager = ServerTrustManager(evaluators: ["h": AnchorlessEvaluator()])
      })
    else {
      Issue.record("it was accepted")
      return
    }
  }

  @Test("pinned certificates are checked although their evaluator is told to skip the usual checks")
  func pinnedCertificatesAreChecked() throws {
    let certificate = try Certificate(der: Data([0x30, 1, 0]))
    let evaluator = PinnedCertificatesTrustEvaluator(
      certificates: [certificate], acceptSelfSignedCertificates: true, performDefaultValidation: false)
    let policy = try evaluator.policy(forHost: "h")
    #expect(policy.checksChain)
    #expect(policy.checksHost)
    #expect(policy.anchors == [certificate])
  }

  @Test("TLS 1.2 is the default minimum version, and there is no maximum")
  func defaultVersions() {
    #expect(CurlConfiguration().tls.minimumVersion == .v1_2)
    #expect(CurlConfiguration().tls.maximumVersion == nil)
  }

  @Test("a bundle's certificates are found in DER and PEM, with each of the usual extensions")
  func bundled() throws {
    let extensions = ["cer", "CER", "crt", "CRT", "der", "DER", "pem", "PEM"]
    let certificates = try (0..<9).map { try Certificate(der: Data([0x30, 1, UInt8($0)])) }
    let folder = try TemporaryFolder()
    for (index, name) in extensions.enumerated() {
      _ = try folder.file("\(index).\(name)", containing: certificates[index].der)
    }
    let chain = certificates[7].pem + certificates[8].pem
    _ = try folder.file("7.PEM", containing: Data(chain.utf8))
    _ = try folder.file("8.pem", containing: Data("none".utf8))
    _ = try folder.file("9.txt", containing: certificates[0].der)
    #expect(Certificate.bundled(in: try #require(Bundle(url: folder.url))) == certificates)
  }
}
