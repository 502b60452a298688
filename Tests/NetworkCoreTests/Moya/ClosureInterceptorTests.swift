import Foundation
import MoyaCompatibility
import NetworkCore
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Interceptors made of closures and of parts")
struct ClosureInterceptorTests {
  private let transport = ScriptedTransport()
  private let outcome = CompletionRecorder()
  private let log = Log()

  private func request(_ interceptor: Interceptor) {
    NetworkProvider<GitHub>(transport: transport, interceptors: [interceptor])
      .request(.zen, completion: outcome.completion)
  }

  /// Adds a mark to the request.
  private func adding(_ mark: String) -> AdaptHandler {
    { request, _, completion in
      var request = request
      request.setValue((request.value(forHTTPHeaderField: "Seen") ?? "") + mark, forHTTPHeaderField: "Seen")
      completion(.success(request))
    }
  }

  /// Logs its name and decides.
  private func deciding(_ name: String, _ decision: RetryResult) -> RetryHandler {
    { [log] request, _, _, completion in
      log("\(name) \(request.retryCount)")
      completion(request.retryCount < 1 ? decision : .doNotRetry)
    }
  }

  @Test("an interceptor of two closures adapts each attempt with one and decides with the other")
  func closures() throws {
    request(.interceptor(adapter: adding("a"), retrier: deciding("I", .retry)))
    transport.transfers[0].respond(500)
    try #require(transport.transfers.count == 2)
    transport.transfers[1].respond(500)
    #expect(transport.transfers.map { $0.request.headers["Seen"] } == ["a", "a"])
    #expect(log.all == ["I 0", "I 1"])
    #expect(outcome.summaries == ["500"])
  }

  @Test("an interceptor of parts calls its adapters and retriers in order, then its interceptors")
  func parts() throws {
    let last = Interceptor.interceptor(adapter: adding("c"), retrier: deciding("K", .retry))
    request(
      .interceptor(
        adapters: [Adapter.adapter(using: adding("a")), Adapter.adapter(using: adding("b"))],
        retriers: [
          Retrier.retrier(using: deciding("I", .doNotRetry)),
          Retrier.retrier(using: deciding("J", .doNotRetry)),
        ], interceptors: [last]))
    transport.transfers[0].respond(500)
    try #require(transport.transfers.count == 2)
    transport.transfers[1].respond()
    #expect(transport.transfers.map { $0.request.headers["Seen"] } == ["abc", "abc"])
    #expect(log.all == ["I 0", "J 0", "K 0"])
    #expect(outcome.summaries == ["200"])
  }
}
