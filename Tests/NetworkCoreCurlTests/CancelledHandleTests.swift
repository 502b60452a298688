import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

/// libcurl's handles cannot be observed directly, but each handle has its own TLS sessions, which a new
/// HTTP/1.1 connection resumes, and each takes memory.
@Suite("The handles of cancelled transfers", .timeLimit(.minutes(5)))
struct CancelledHandleTests {
  /// A server for HTTP/1.1 and one for HTTP/2, whose responses never end, and a transport.
  private struct ServersAndTransport: Sendable {
    let servers: [LoopbackServer]
    private let transport: CurlTransport

    init() throws {
      servers = try [nil, LoopbackServer.HTTP2()].map { http2 in
        var options = LoopbackServer.Options()
        options.http2 = http2
        return try LoopbackServer(tls: .generated, options: options) { request in
          .text("slow").bodyHeld(until: .init(), after: 1)
            .header("X-Resumed", "\(request.handshake?.isResumed == true)")
        }
      }
      var configuration = CurlConfiguration()
      configuration.tls.authorities = .data(servers[0].authority + servers[1].authority)
      transport = try CurlTransport(configuration: configuration)
    }

    /// Starts a transfer and cancels it within its body, which closes its connection; returns whether the TLS
    /// session was a resumed one.
    func cancelOne(isHTTP2: Bool) async -> String? {
      let server = servers[isHTTP2 ? 1 : 0]
      let (transfer, recorder) = transport.record(.init(url: server.origin))
      let head = await recorder.waitUntil { $0.head != nil || $0.isOver }.head
      transfer.cancel()
      #expect(await recorder.waitForEnd().error == .cancelled)
      #expect(head?.httpVersion == (isHTTP2 ? .http2 : .http1_1))
      return head?.headers["X-Resumed"]
    }
  }

  @Test("a handle is reused by the next transfer, whatever the version")
  func reuse() async throws {
    let pair = try ServersAndTransport()
    #expect(await pair.cancelOne(isHTTP2: false) == "false")
    for _ in 0..<20 {
      #expect(await pair.cancelOne(isHTTP2: false) == "true")
      _ = await pair.cancelOne(isHTTP2: true)
    }
  }

  #if os(Linux)
    @Test("1,500 cancelled transfers do not increase memory and descriptors")
    func memory() async {
      await #expect(processExitsWith: .success) {
        let pair = try ServersAndTransport()
        var facts: [(resident: Int?, descriptors: Int)] = []
        for count in [100, 650] {
          for _ in 0..<count {
            for isHTTP2 in [false, true] { _ = await pair.cancelOne(isHTTP2: isHTTP2) }
          }
          for server in pair.servers { try await server.log { $0.openConnections <= 1 } }
          facts.append((ProcessFacts.residentMemory, try #require(ProcessFacts.descriptors)))
        }
        // A leaked handle would keep its buffer of 64 KiB, most of which is touched here.
        let (before, after) = (facts[0].resident, facts[1].resident)
        if let before, let after { #expect(after < before + 16 << 20) }
        #expect(facts[1].descriptors <= facts[0].descriptors + 4)
      }
    }
  #endif
}
