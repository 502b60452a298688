import Foundation
import NetworkCore
import Testing

@Suite("Configurations that make no sense")
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

  @Test("files that are not there are named")
  func files() {
    let path = "/no/such/file.pem"
    #expect(refusal { $0.tls.authorities = .file(path) } == .unreadableFile(path: path))
    #expect(
      refusal { $0.tls.clientIdentities["*"] = .init(certificate: .file(path)) }
        == .unreadableFile(path: path))
  }

  @Test("bytes that are no certificate, and versions upside down")
  func values() {
    guard
      case .invalid("tls.authorities", "3 bytes", _)? = refusal({
        $0.tls.authorities = .data(Data("abc".utf8))
      })
    else {
      Issue.record("the bytes were taken")
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

  @Test("a pin is 32 bytes, with or without what stands before it", arguments: ["", "sha256/", "sha256//"])
  func pins(prefix: String) throws {
    let hash = Data(0..<32)
    let pin = try PublicKeyPin(prefix + hash.base64EncodedString())
    #expect(pin.sha256 == hash)
    #expect(pin.description == "sha256//AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
    for text in ["", "/etc/passwd", "abc", hash.dropLast().base64EncodedString()] {
      #expect(throws: PublicKeyPinError.self) { try PublicKeyPin(prefix + text) }
    }
  }

  @Test("a certificate is one sequence from end to end")
  func certificates() throws {
    #expect(throws: CertificateFormatError.notDER(byteCount: 0)) { try Certificate(der: Data()) }
    #expect(throws: CertificateFormatError.notDER(byteCount: 3)) { try Certificate(der: Data([0x30, 2, 0])) }
    #expect(try Certificate(der: Data([0x30, 1, 0])).der == Data([0x30, 1, 0]))
    let long = Data([0x30, 0x82, 1, 0]) + Data(count: 256)
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
    "the most specific evaluator counts",
    arguments: [
      ("api.example.com", "exact"), ("API.Example.Com.", "exact"), ("www.example.com", "wildcard"),
      ("a.b.example.com", "wildcard"), ("example.com", "all"), ("badexample.com", "all"), ("10.0.0.1", "all"),
      ("[::1]", "six"), ("::1", "six"),
    ])
  func wildcards(host: String, expected: String) throws {
    struct Named: ServerTrustEvaluating {
      let name: String
      func policy(forHost host: String) -> ServerTrustPolicy { ServerTrustPolicy() }
    }
    let names = [
      "Api.example.com": "exact", "*.example.com": "wildcard", "*": "all", "*.0.0.1": "address",
      "[::1]": "six",
    ]
    let manager = ServerTrustManager(evaluators: names.mapValues(Named.init))
    #expect((try manager.serverTrustEvaluator(forHost: host) as? Named)?.name == expected)
  }
}
