import NetworkCore
import Testing

private enum Examples {
  static func limits() throws -> NetworkProvider<API> {
    var configuration = CurlConfiguration()
    configuration.timeouts.total = .seconds(30)
    configuration.timeouts.connect = .seconds(5)
    let provider = NetworkProvider<API>(transport: try CurlTransport(configuration: configuration))
    return provider
  }

  static func small() -> NetworkProvider<API> {
    let small = NetworkProvider<API>(responseBodyLimit: 1 << 20)
    return small
  }
}

@Suite("Examples in Set limits and time-outs")
struct LimitsAndTimeoutsTests {
  @Test("providers with limits can be created")
  func limits() throws {
    _ = try Examples.limits()
    #expect(Examples.small().responseBodyLimit == 1 << 20)
  }
}
