import Foundation
import LoopbackServer
import NetworkCore
import Testing

@Suite("Examples in Testing against a real server", .timeLimit(.minutes(5)))
struct RealServerTests {
  private struct Page: TargetType {
    let baseURL: URL
    let path: String
  }

  @Test("a truncated response is retried")
  func retries() async throws {
    let server = try LoopbackServer()
    server.route("/profile") { [weak server] _ in
      let whole = LoopbackServer.Reply.json(#"{"name": "ash"}"#)
      return server?.log.requestCount == 1 ? whole.truncated(after: 10) : whole
    }
    let provider = NetworkProvider<Page>(interceptors: [RetryPolicy(exponentialBackoffScale: 0)])
    let profile = try await provider.response(for: Page(baseURL: server.baseURL, path: "/profile"))
    #expect(profile.data.count == 15)
    #expect(server.log.requestCount == 2)
  }

  @Test("a gate delays a response")
  func waits() async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer { _ in .text("done").held(until: gate) }
    let provider = NetworkProvider<Page>()
    let request = provider.request(Page(baseURL: server.baseURL, path: "/")) { print($0) }
    try await server.log(until: { $0.pending == 1 })
    #expect(!request.isCancelled)
    gate.open()
    try await server.log(until: { $0.answered == 1 })
  }
}
