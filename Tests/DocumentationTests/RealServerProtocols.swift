import Foundation
import LoopbackServer
import NetworkCore
import Testing

@Suite("Examples in Serving TLS, HTTP/2 and WebSockets", .timeLimit(.minutes(5)))
struct RealServerProtocolsTests {
  private struct Page: TargetType {
    let baseURL: URL
    let path: String
  }

  @Test("a pinned client gets the response of a server with a generated certificate")
  func pinned() async throws {
    let server = try LoopbackServer(tls: .generated) { _ in .text("secret") }
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority)
    configuration.serverTrustManager = ServerTrustManager(evaluators: [
      "127.0.0.1": PublicKeysTrustEvaluator(keys: try server.pins.map { try PublicKeyPin($0) })
    ])
    let provider = NetworkProvider<Page>(transport: try CurlTransport(configuration: configuration))
    let response = try await provider.response(for: Page(baseURL: server.baseURL, path: "/"))
    #expect(try response.mapString() == "secret")
  }

  @Test("a request that GOAWAY excludes is repeated on another connection")
  func departs() async throws {
    var options = LoopbackServer.Options()
    options.http2 = LoopbackServer.HTTP2()
    let server = try LoopbackServer(tls: .generated, options: options) { request in
      let reply = LoopbackServer.Reply.text("done")
      return request.connection == 1 ? reply.http2(.goAway(last: 0), before: .head) : reply
    }
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority)
    let provider = NetworkProvider<Page>(transport: try CurlTransport(configuration: configuration))
    let response = try await provider.response(for: Page(baseURL: server.baseURL, path: "/"))
    #expect(try response.mapString() == "done")
    #expect(server.log.requests.map(\.connection) == [1, 2])
  }
}
