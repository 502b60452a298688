import Foundation
import NetworkCore
import Testing

private enum Examples {
  static func proxy() throws -> NetworkProvider<API> {
    var configuration = CurlConfiguration()
    configuration.proxy = .proxy(.init(.socks5, host: "127.0.0.1", port: 1080))
    let provider = NetworkProvider<API>(transport: try CurlTransport(configuration: configuration))
    return provider
  }

  struct DockerInfo: TargetType {
    var baseURL: URL { URL(string: "http+unix://%2Frun%2Fdocker.sock")! }
    var path: String { "/v1.43/info" }
  }
}

@Suite("Examples in Use a proxy")
struct ProxiesTests {
  @Test("a transport with a proxy can be created, and the path of a socket is the host of a URL")
  func proxy() throws {
    _ = try Examples.proxy()
    #expect(Examples.DockerInfo().url.absoluteString == "http+unix://%2Frun%2Fdocker.sock/v1.43/info")
  }
}
