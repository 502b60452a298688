import NetworkCore
import Testing

private enum Examples {
  static func basics() throws -> NetworkProvider<API> {
    var configuration = CurlConfiguration()
    configuration.timeouts.total = .seconds(30)
    configuration.httpVersion = .http1_1
    let transport = try CurlTransport(configuration: configuration)
    let provider = NetworkProvider<API>(transport: transport)
    return provider
  }
}

@Suite("Examples in Choose and configure a transport")
struct TransportsTests {
  @Test("a provider with a configured transport can be created")
  func basics() throws {
    _ = try Examples.basics()
  }
}
