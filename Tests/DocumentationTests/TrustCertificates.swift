import Foundation
import NetworkCore
import Testing

private enum Examples {
  static func company() throws -> NetworkProvider<API> {
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .file("/etc/ssl/company.pem")
    let provider = NetworkProvider<API>(transport: try CurlTransport(configuration: configuration))
    return provider
  }

  static func pins() throws -> CurlConfiguration {
    var configuration = CurlConfiguration()
    let pins = [try PublicKeyPin("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")]
    let evaluators: [String: any ServerTrustEvaluating] = [
      "api.example.com": PublicKeysTrustEvaluator(keys: pins),
      "*.example.org": PinnedCertificatesTrustEvaluator(certificates: Certificate.bundled()),
    ]
    configuration.serverTrustManager = ServerTrustManager(
      allHostsMustBeEvaluated: false, evaluators: evaluators)
    return configuration
  }

  static func client() -> CurlConfiguration {
    var configuration = CurlConfiguration()
    configuration.tls.clientIdentities["api.example.com"] = .init(
      certificate: .file("/etc/ssl/client.pem"), key: .file("/etc/ssl/client.key"))
    configuration.names.overrides = [.init(host: "api.example.com", port: 443, addresses: ["192.0.2.7"])]
    return configuration
  }
}

@Suite("Examples in Trust a certificate or pin one")
struct TrustCertificatesTests {
  @Test("a transport with pins can be created, and other hosts keep the usual checks")
  func pins() throws {
    let configuration = try Examples.pins()
    _ = try CurlTransport(configuration: configuration)
    let manager = try #require(configuration.serverTrustManager)
    #expect(try manager.serverTrustEvaluator(forHost: "other.example.net") == nil)
    #expect(try manager.serverTrustEvaluator(forHost: "a.example.org") is PinnedCertificatesTrustEvaluator)
    #expect(throws: (any Error).self) {
      try ServerTrustManager(evaluators: [:]).serverTrustEvaluator(forHost: "other.example.net")
    }
  }

  @Test(
    "a missing file is named by the transport's initialiser",
    .disabled(if: FileManager.default.fileExists(atPath: "/etc/ssl/company.pem")))
  func missingFile() {
    #expect(throws: CurlConfigurationError.unreadableFile(path: "/etc/ssl/company.pem")) {
      _ = try Examples.company()
    }
    #expect(Examples.client().tls.clientIdentities.count == 1)
  }
}
