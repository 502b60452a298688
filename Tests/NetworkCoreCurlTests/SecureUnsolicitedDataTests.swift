import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Unexpected data on TLS connections", .timeLimit(.minutes(5)))
struct SecureUnsolicitedDataTests {
  private func transport(_ server: LoopbackServer) throws -> CurlTransport {
    var configuration = CurlConfiguration()
    configuration.tls.authorities = .data(server.authority)
    return try CurlTransport(configuration: configuration)
  }

  @Test("unexpected data is not the response to the next request", arguments: [HTTPMethod.get, .post])
  func surplus(method: HTTPMethod) async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer(tls: .generated) { request in
      guard request.path == "/first" else { return .text("next") }
      let forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"
      return .text("ok" + forged).contentLength(2).bodyHeld(until: gate, after: 2)
    }
    let transport = try transport(server)
    let first = await transport.exchange(.init(url: "\(server.origin)/first"))
    #expect(first.body == Data("ok".utf8))
    gate.open()
    #expect(waitUntil { ProcessFacts.hasUnreadBytes(from: server.port) })
    let next = await transport.exchange(.init(method: method, url: "\(server.origin)/next"))
    #expect(next.body == Data("next".utf8))
  }

  @Test("a connection without unexpected data is reused for every request")
  func quiet() async throws {
    let server = try LoopbackServer(tls: .generated) { _ in .text("ok") }
    let transport = try transport(server)
    for index in 0..<20 {
      var request = TransportRequest(method: .post, url: server.origin)
      request.reportsMetrics = true
      let events = await transport.exchange(request)
      #expect(events.error == nil)
      #expect(events.head?.httpVersion == .http1_1)
      #expect(events.metrics?.isConnectionReused == (index > 0))
    }
    #expect(server.log.connectionsAccepted == 1)
  }
}
