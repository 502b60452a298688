import Foundation
import MoyaCompatibility
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
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

  @Test("a retrier among parts that decides on an error is the last one to be called")
  func decidingError() {
    request(
      .interceptor(retriers: [
        Retrier.retrier(using: deciding("I", .doNotRetryWithError(MultipartError.noParts))),
        Retrier.retrier(using: deciding("J", .retry)),
      ]))
    transport.transfers[0].respond(500)
    #expect(log.all == ["I 0"])
    #expect(transport.transfers.count == 1)
    #expect(outcome.error != nil)
    transport.finish()
  }

  @Test("an adapter among parts that fails is the last one to be called, and ends the request")
  func failingAdapter() {
    let failing = Adapter.adapter { _, _, completion in completion(.failure(MultipartError.noParts)) }
    let logging = Adapter.adapter { [log] request, _, completion in
      log("adapted")
      completion(.success(request))
    }
    request(.interceptor(adapters: [failing, logging]))
    #expect(log.all.isEmpty)
    #expect(transport.transfers.isEmpty)
    #expect(outcome.count == 1)
    #expect(outcome.error?.underlyingError as? MultipartError == .noParts)
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

  @Test("an interceptor of parts that is called with only a session calls all adapters, in order")
  func adaptersWithSession() {
    let interceptor = Interceptor(
      adapters: [Adapter(adding("a"))], interceptors: [Interceptor(adapters: [Adapter(adding("b"))])])
    let request = URLRequest(url: URL(staticString: "http://h"))
    interceptor.adapt(request, for: Session(transport: transport)) { [log] result in
      log((try? result.get())?.value(forHTTPHeaderField: "Seen") ?? "none")
    }
    #expect(log.all == ["ab"])
  }

  @Test("a part that drops its completion leaves the decision to the next one")
  func dropped() {
    request(
      .interceptor(retriers: [
        Retrier.retrier { _, _, _, _ in }, Retrier.retrier(using: deciding("I", .retry)),
      ]))
    transport.transfers[0].respond(500)
    #expect(log.all == ["I 0"])
    #expect(transport.transfers.count == 2)
    transport.finish()
  }

  @Test("a request that is cancelled while a part decides asks no other one")
  func cancelled() {
    let pending = Pending()
    let waiting = Retrier.retrier { request, _, _, completion in
      pending.completion.withLock { $0 = completion }
      request.cancelWithRequest(CancellableToken { _ = pending.completion.withLock { $0.take() } })
    }
    let interceptor = Interceptor(
      retriers: [waiting, Retrier.retrier(using: deciding("I", .retry))])
    let provider = NetworkProvider<GitHub>(transport: transport, interceptors: [interceptor])
    let token = provider.request(.zen, completion: outcome.completion)
    transport.transfers[0].respond(500)
    token.cancel()
    #expect(pending.completion.withLock { $0 == nil })
    #expect(log.all.isEmpty)
    #expect(transport.transfers.count == 1)
  }

  /// Keeps the completion of a retrier.
  private final class Pending: Sendable {
    let completion = Lock<(@Sendable (RetryResult) -> Void)?>(nil)
  }

  @Test("only the first call of a part's completion counts")
  func repeated() {
    let adapter = Adapter.adapter { request, _, completion in
      for _ in 0..<2 { completion(.success(request)) }
    }
    let logging = Adapter.adapter { [log] request, _, completion in
      log("adapted")
      completion(.success(request))
    }
    let retrier = Retrier.retrier { _, _, _, completion in
      for _ in 0..<2 { completion(.doNotRetry) }
    }
    request(
      .interceptor(
        adapters: [adapter, logging], retriers: [retrier, Retrier.retrier(using: deciding("I", .doNotRetry))])
    )
    transport.transfers[0].respond(500)
    #expect(log.all == ["adapted", "I 0"])
    #expect(outcome.summaries == ["500"])
  }
}
