import NetworkCore
import Testing

private enum Examples {
  static func cookies() throws -> NetworkProvider<API> {
    var configuration = CurlConfiguration()
    configuration.cookies = .memory
    let provider = NetworkProvider<API>(transport: try CurlTransport(configuration: configuration))
    return provider
  }

  static func credentials() throws -> CurlTransport {
    var configuration = CurlConfiguration()
    configuration.credentials["intranet.example.com"] = .digest(user: "me", password: "secret")
    return try CurlTransport(configuration: configuration)
  }
}

@Suite("Examples in Cookies")
struct CookiesTests {
  @Test("a credential is added for its origin alone")
  func credentials() throws {
    _ = try Examples.cookies()
    let transport = try Examples.credentials()
    #expect(
      transport.addedCredentials(to: .init(method: .get, url: "https://intranet.example.com/a"))
        == .credential)
    #expect(transport.addedCredentials(to: .init(method: .get, url: "http://intranet.example.com/a")) == [])
    #expect(
      transport.addedCredentials(to: .init(method: .get, url: "https://intranet.example.com:8443/a")) == [])
  }
}
