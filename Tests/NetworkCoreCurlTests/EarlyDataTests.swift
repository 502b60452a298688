import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Early data", .timeLimit(.minutes(5)))
struct EarlyDataTests {
  private static let configuration: CurlConfiguration = {
    var configuration = CurlConfiguration()
    configuration.tls.sendsEarlyData = true
    return configuration
  }()

  private static let isAvailable = (try? CurlTransport(configuration: configuration)) != nil

  @Test(
    "a GET on a resumed connection is sent as early data, a POST is not",
    .enabled(if: isAvailable, "needs libcurl 8.16"))
  func methods() async throws {
    var tls = LoopbackServer.TLS.generated
    tls.acceptsEarlyData = true
    let server = try LoopbackServer(tls: tls) { _ in .text("ok").closingConnection() }
    var configuration = Self.configuration
    configuration.tls.authorities = .data(server.authority)
    let transport = try CurlTransport(configuration: configuration)
    for method in [HTTPMethod.get, .get, .post, .delete, .get] {
      let events = await transport.exchange(.init(method: method, url: server.origin))
      #expect(events.error == nil)
      #expect(events.body == Data("ok".utf8))
    }
    #expect(server.log.requests.map { $0.handshake?.hasEarlyData } == [false, true, false, false, true])
  }

  @Test("a libcurl without early data makes the configuration fail")
  func lacking() throws {
    let library = try CurlLibrary(names: CurlLibrary.names, unsupportedOptions: ["CURLSSLOPT_EARLYDATA"])
    let error = #expect(throws: CurlConfigurationError.self) {
      try CurlTransport(library: library, configuration: Self.configuration)
    }
    guard case .unsupported("CURLSSLOPT_EARLYDATA", _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
