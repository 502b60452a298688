import Dispatch
import Foundation
import MoyaCompatibility
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Stubs", .timeLimit(.minutes(5)))
struct StubTests {
  private let transport = ScriptedTransport()
  private let outcome = CompletionRecorder()

  private func provider(
    _ sample: EndpointSampleResponse, _ stub: @escaping NetworkProvider<GitHub>.StubClosure
  ) -> NetworkProvider<GitHub> {
    NetworkProvider(
      endpointClosure: { target in
        Endpoint(
          url: URL(target: target).absoluteString, sampleResponseClosure: { sample }, method: target.method,
          task: target.task, httpHeaderFields: target.headers)
      }, stubClosure: stub, transport: transport)
  }

  @Test("an immediate stub completes before request returns, and uses no transport")
  func immediate() {
    NetworkProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub, transport: transport)
      .request(.zen, completion: outcome.completion)
    #expect(outcome.count == 1)
    #expect(outcome.response?.data == GitHub.zen.sampleData)
    #expect(outcome.response?.statusCode == 200)
    #expect(outcome.response?.request?.url?.absoluteString == "https://api.github.com/zen")
    #expect(outcome.response?.response == nil)
    #expect(transport.transfers.isEmpty)
  }

  @Test("a delayed stub completes later")
  func delayed() async {
    let provider = NetworkProvider<GitHub>(stubClosure: MoyaProvider.delayedStub(0.001), transport: transport)
    let result = await withCheckedContinuation { done in
      provider.request(.zen) { done.resume(returning: $0) }
    }
    #expect(result.summary == "200")
    #expect(transport.transfers.isEmpty)
  }

  @Test("a cancelled delayed stub ends at once and releases everything")
  func cancelled() {
    final class TrackedObject: Sendable {}
    weak var canary: TrackedObject?
    let token: any Cancellable
    do {
      let captured = TrackedObject()
      canary = captured
      let provider = NetworkProvider<GitHub>(
        endpointClosure: { target in
          Endpoint(
            url: "http://h",
            sampleResponseClosure: { withExtendedLifetime(captured) { .networkResponse(200, Data()) } },
            method: .get, task: .requestPlain, httpHeaderFields: nil)
        }, stubClosure: MoyaProvider.delayedStub(3600))
      token = provider.request(.zen, completion: outcome.completion)
    }
    #expect(outcome.count == 0)
    #expect(canary != nil)
    token.cancel()
    #expect(outcome.summaries == ["cancelled"])
    #expect(canary == nil)
  }

  @Test("may differ between targets")
  func choice() {
    defer { transport.finish() }
    let provider = NetworkProvider<GitHub>(
      stubClosure: { target in
        if case .zen = target { .immediate } else { .never }
      }, transport: transport)
    provider.request(.profile("ash"), completion: outcome.completion)
    #expect(outcome.count == 0)
    provider.request(.zen, completion: outcome.completion)
    #expect(outcome.count == 1)
    #expect(transport.transfers.count == 1)
  }

  @Test("a complete response is delivered unchanged")
  func wholeResponse() throws {
    let head = try #require(
      HTTPURLResponse(
        url: URL(staticString: "http://h"), statusCode: 418, httpVersion: nil, headerFields: ["X-A": "b"]))
    provider(.response(head, Data("x".utf8)), MoyaProvider.immediatelyStub)
      .request(.zen, completion: outcome.completion)
    #expect(outcome.response?.statusCode == 418)
    #expect(outcome.response?.response === head)
    #expect(outcome.response?.headers["x-a"] == "b")
  }

  @Test("an error fails the request")
  func networkError() {
    provider(.networkError(NSError(domain: "d", code: 7)), MoyaProvider.immediatelyStub)
      .request(.zen, completion: outcome.completion)
    guard case .underlying(let error, nil)? = outcome.error else {
      Issue.record("\(outcome.summaries)")
      return
    }
    #expect((error as NSError).code == 7)
    #expect((error as NSError).domain == "d")
  }

  @Test("a request that cannot be built also fails with a stub")
  func unbuildable() {
    NetworkProvider<GitHub>(
      endpointClosure: { _ in
        Endpoint(
          url: "http://[", sampleResponseClosure: { .networkResponse(200, Data()) }, method: .get,
          task: .requestPlain, httpHeaderFields: nil)
      }, stubClosure: MoyaProvider.immediatelyStub
    ).request(.zen, completion: outcome.completion)
    #expect(outcome.summaries == ["requestMapping"])
  }

  @Test("the last progress is reported with the response")
  func progress() {
    let log = Log()
    NetworkProvider<GitHub>(stubClosure: MoyaProvider.immediatelyStub)
      .request(.zen, progress: { log("\($0.progress) \($0.completed)") }, completion: { _ in log("end") })
    #expect(log.all == ["1.0 false", "1.0 true", "end"])
  }

  @Test("a subclass may override the stub; its response goes through validation and plugins")
  func subclass() {
    final class StubbingProvider: NetworkProvider<GitHub>, @unchecked Sendable {
      let log = Log()
      override func stubRequest(
        _ target: GitHub, request: URLRequest, callbackQueue: DispatchQueue?,
        completion: @escaping Completion, endpoint: Endpoint, stubBehavior: StubBehavior
      ) -> CancellableToken {
        let request = notifyPluginsOfImpendingStub(for: request, target: target)
        log(request.value(forHTTPHeaderField: "Seen") ?? "-")
        guard case .profile = target else {
          return super.stubRequest(
            target, request: request, callbackQueue: callbackQueue, completion: completion,
            endpoint: endpoint, stubBehavior: stubBehavior)
        }
        return CancellableToken { [log] in log("token cancelled") }
      }
    }
    let log = Log()
    let provider = StubbingProvider(
      stubClosure: MoyaProvider.immediatelyStub, transport: transport,
      plugins: [LoggingPlugin(name: "A", log: log)])
    provider.request(.zen, completion: outcome.completion)
    #expect(outcome.summaries == ["201"])
    #expect(log.all == ["A prepare", "A willSend A", "A didReceive 200", "A process 200"])
    // Releases the completion.
    provider.request(.profile("x"), completion: outcome.completion)
    #expect(outcome.count == 2)
    #expect(
      outcome.error?.localizedDescription
        == "The stub released its closure without calling it. Call the closure exactly once.")
    #expect(provider.log.all == ["A", "A"])
    #expect(transport.transfers.isEmpty)
  }
}
