import LoopbackServer
import NetworkCore
import Testing

@Suite("Problems of certificates", .timeLimit(.minutes(5)))
struct CertificateProblemTests {
  @Test("a chain that ends with an unknown authority is reported as self-signed")
  func chain() async throws {
    var tls = LoopbackServer.TLS.generated
    // The server then sends its authority's certificate too.
    tls.staplesStatus = true
    let server = try LoopbackServer(tls: tls)
    let events = await (try CurlTransport()).exchange(.init(url: server.origin))
    guard case .certificate(.selfSigned, "127.0.0.1", _)? = events.error else {
      Issue.record("\(String(describing: events.error))")
      return
    }
  }
}
