import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Name resolution over HTTPS", .timeLimit(.minutes(5)))
struct NameServiceTests {
  /// A DNS response that resolves `service.test` to 127.0.0.1 (RFC 1035, section 4.1).
  private static let response = Data(
    [0, 0, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]
      + [7] + Array("service".utf8) + [4] + Array("test".utf8) + [0, 0, 1, 0, 1]
      + [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1])

  @Test("the address from the service is used; without the service, the name is not found")
  func lookup() async throws {
    let folder = try TemporaryFolder()
    let authorities = folder.file("authorities.pem")
    let service = try LoopbackServer(tls: .generated) { _ in
      .bytes(Self.response).header("Content-Type", "application/dns-message")
    }
    try service.authority.write(to: authorities)
    let server = try LoopbackServer { _ in .text("ok") }
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .file(authorities.path)
    configuration.names.dnsOverHTTPS = service.origin + "/dns-query"
    let url = "http://service.test:\(server.port)/"
    let found = await (try CurlTransport(configuration: configuration)).exchange(.init(url: url))
    #expect(found.error == nil)
    #expect(found.body == Data("ok".utf8))
    #expect(server.log.requests.map { $0.headers["Host"] } == ["service.test:\(server.port)"])
    let asked = service.log.requestCount
    #expect(asked > 0)

    configuration.names.dnsOverHTTPS = "https://127.0.0.1:\(try freePort())/dns-query"
    let lost = await (try CurlTransport(configuration: configuration)).exchange(.init(url: url))
    #expect(lost.error == .cannotFindHost("service.test", isUnsent: true))

    // An untrusted service is not used.
    configuration.names.dnsOverHTTPS = service.origin + "/dns-query"
    try LoopbackServer(tls: .generated).authority.write(to: authorities)
    let refused = await (try CurlTransport(configuration: configuration)).exchange(.init(url: url))
    #expect(refused.error == .cannotFindHost("service.test", isUnsent: true))
    #expect(server.log.requests.count == 1)
    #expect(service.log.requestCount == asked)
    withExtendedLifetime(folder) {}
  }

  @Test(
    "the service is asked again for each connection if addresses are not cached",
    arguments: [Duration.zero, .seconds(60)])
  func uncached(cacheTime: Duration) async throws {
    let folder = try TemporaryFolder()
    let service = try LoopbackServer(tls: .generated) { _ in
      .bytes(Self.response).header("Content-Type", "application/dns-message")
    }
    let server = try LoopbackServer { _ in .text("ok").closingConnection() }
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .file(try folder.file(containing: service.authority).path)
    configuration.names.dnsOverHTTPS = service.origin + "/dns-query"
    configuration.names.cacheTime = cacheTime
    let transport = try CurlTransport(configuration: configuration)
    let request = TransportRequest(url: "http://service.test:\(server.port)/")
    #expect(await transport.exchange(request).error == nil)
    let asked = service.log.requestCount
    #expect(await transport.exchange(request).error == nil)
    #expect((service.log.requestCount > asked) == (cacheTime == .zero))
    withExtendedLifetime(folder) {}
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
