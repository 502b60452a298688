import Foundation
import LoopbackServer
import NetworkCore
import Testing

@Suite(
  "Name resolution over HTTPS",
  .enabled(if: InstalledProgram.canServeTLS, Comment(rawValue: InstalledProgram.skipReason)),
  .timeLimit(.minutes(5)))
struct NameServiceTests {
  /// A DNS response that resolves `service.test` to 127.0.0.1 (RFC 1035, section 4.1).
  private static let response = Data(
    [0, 0, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]
      + [7] + Array("service".utf8) + [4] + Array("test".utf8) + [0, 0, 1, 0, 1]
      + [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1])

  @Test("the address from the service is used; without the service, the name is not found")
  func lookup() async throws {
    let authority = try CertificateAuthority()
    try Self.response.write(to: authority.directory.appendingPathComponent("response"))
    // nginx responds to a POST for a file with 405, which this maps to the file.
    let directives = """
      location /dns-query { error_page 405 =200 /response; return 405; }
      location /response { root \(authority.directory.path); default_type application/dns-message; }
      """
    let nginx = try Nginx(.init(identity: authority.issue(), directives: directives))
    let server = try LoopbackServer { _ in .text("ok") }
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .file(authority.root.certificate)
    configuration.names.dnsOverHTTPS = nginx.origin() + "/dns-query"
    let url = "http://service.test:\(server.port)/"
    let found = await (try CurlTransport(configuration: configuration)).exchange(.init(url: url))
    #expect(found.error == nil)
    #expect(found.body == Data("ok".utf8))
    #expect(server.log.requests.map { $0.headers["Host"] } == ["service.test:\(server.port)"])

    configuration.names.dnsOverHTTPS = "https://127.0.0.1:\(try freePort())/dns-query"
    let lost = await (try CurlTransport(configuration: configuration)).exchange(.init(url: url))
    #expect(lost.error == .cannotFindHost("service.test"))

    // An untrusted service is not used.
    configuration.names.dnsOverHTTPS = nginx.origin() + "/dns-query"
    let other = try CertificateAuthority(name: "Another Authority")
    configuration.tls.authorities = .file(other.root.certificate)
    let refused = await (try CurlTransport(configuration: configuration)).exchange(.init(url: url))
    #expect(refused.error == .cannotFindHost("service.test"))
    #expect(server.log.requests.count == 1)
    withExtendedLifetime((authority, other)) {}
  }

  @Test("a URL without https is rejected", arguments: ["", "dns.test", "http://dns.test/", "https://"])
  func urls(url: String) {
    var configuration = CurlConfiguration()
    configuration.names.dnsOverHTTPS = url
    let error = #expect(throws: CurlConfigurationError.self) {
      try CurlTransport(configuration: configuration)
    }
    guard case .invalid("names.dnsOverHTTPS", url, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("a libcurl without DNS over HTTPS makes the configuration fail")
  func lacking() throws {
    let library = try CurlLibrary(names: CurlLibrary.names, unsupportedOptions: ["CURLOPT_DOH_URL"])
    var configuration = CurlConfiguration()
    configuration.names.dnsOverHTTPS = "https://dns.test/"
    let error = #expect(throws: CurlConfigurationError.self) {
      try CurlTransport(library: library, configuration: configuration)
    }
    guard case .unsupported("CURLOPT_DOH_URL", _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
