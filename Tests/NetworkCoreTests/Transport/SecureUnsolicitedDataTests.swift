import Foundation
import LoopbackServer
import NetworkCore
import Testing

@Suite(
  "Unexpected data on TLS connections",
  .enabled(if: InstalledProgram.canServeTLS, Comment(rawValue: InstalledProgram.skipReason)),
  .timeLimit(.minutes(5)))
struct SecureUnsolicitedDataTests {
  private let authority: CertificateAuthority
  private var configuration = CurlConfiguration()

  init() throws {
    authority = try CertificateAuthority()
    configuration.tls.authorities = .data(authority.root.pem)
  }

  @Test("unexpected data is not the response to the next request", arguments: [HTTPMethod.get, .post])
  func surplus(method: HTTPMethod) async throws {
    let server = try OpenSSLServer(authority.issue())
    let transport = try CurlTransport(configuration: configuration)
    func response(_ text: String) -> String {
      "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
    }
    let first = transport.record(.init(url: "\(server.origin)/first"))
    try server.waitToReceive("/first")
    server.send(response("ok"))
    #expect(await first.recorder.waitForEnd().body == Data("ok".utf8))
    server.send(response("forged"))
    try server.waitUntilUnread()
    let next = transport.record(.init(method: method, url: "\(server.origin)/next"))
    try server.waitToReceive("/next")
    server.send(response("next"))
    #expect(await next.recorder.waitForEnd().body == Data("next".utf8))
  }

  @Test("a connection without unexpected data is reused for every request")
  func quiet() async throws {
    let nginx = try Nginx(.init(identity: try authority.issue(), isHTTP2: false))
    let transport = try CurlTransport(configuration: configuration)
    for index in 0..<20 {
      var request = TransportRequest(method: .post, url: nginx.origin())
      request.reportsMetrics = true
      let events = await transport.exchange(request)
      #expect(events.error == nil)
      #expect(events.head?.httpVersion == .http1_1)
      #expect(events.metrics?.isConnectionReused == (index > 0))
    }
  }
}
