import Dispatch
import Foundation
import MoyaCompatibility
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A provider's subclass")
struct ProviderSubclassTests {
  private let outcome = CompletionRecorder()

  @Test("may override request, and call the provider's own implementation later")
  func requestNormal() {
    /// The usual case: a session is renewed before each request.
    final class SessionRenewingProvider: MoyaProvider<GitHub>, @unchecked Sendable {
      let log = Log()

      override func request(
        _ target: GitHub, callbackQueue: DispatchQueue? = nil, progress: ProgressBlock? = nil,
        completion: @escaping Completion
      ) -> any Cancellable {
        log("renewed")
        return requestNormal(
          target, callbackQueue: callbackQueue, progress: progress, completion: completion)
      }
    }
    let provider = SessionRenewingProvider(stubClosure: MoyaProvider.immediatelyStub)
    _ = provider.request(.zen, completion: outcome.completion)
    #expect(provider.log.all == ["renewed"])
    #expect(outcome.summaries == ["200"])
  }

  @Test("gets the queue that the request named when it responds to a stubbed request")
  func queueOfStub() async {
    // `@unchecked Sendable` because its superclass is: it adds a constant of a `Sendable` type.
    final class QueueLoggingProvider: MoyaProvider<GitHub>, @unchecked Sendable {
      let log = Log()

      override func stubRequest(
        _ target: GitHub, request: URLRequest, callbackQueue: DispatchQueue?,
        completion: @escaping Completion, endpoint: Endpoint, stubBehavior: StubBehavior
      ) -> CancellableToken {
        log(callbackQueue?.label ?? "none")
        return super.stubRequest(
          target, request: request, callbackQueue: callbackQueue, completion: completion, endpoint: endpoint,
          stubBehavior: stubBehavior)
      }
    }
    let queue = DispatchQueue(label: "stub")
    let provider = QueueLoggingProvider(stubClosure: MoyaProvider.immediatelyStub)
    provider.request(.zen, callbackQueue: queue, completion: outcome.completion)
    await queue.waitUntilDrained()
    #expect(provider.log.all == ["stub"])
    #expect(outcome.summaries == ["200"])
  }

  /// Responds when the test calls it.
  private final class ManualStubProvider: MoyaProvider<GitHub>, @unchecked Sendable {
    let time = ManualDelayScheduler()
    let token = CancellableToken {}

    override func stubRequest(
      _ target: GitHub, request: URLRequest, callbackQueue: DispatchQueue?,
      completion: @escaping Completion, endpoint: Endpoint, stubBehavior: StubBehavior
    ) -> CancellableToken {
      let answer = createStubFunction(
        token, forTarget: target, withCompletion: completion, endpoint: endpoint, plugins: plugins,
        request: request)
      _ = time.schedule(after: .seconds(1), answer)
      return CancellableToken {}
    }
  }

  @Test("may choose when a stub responds, and end it as cancelled; plugins are notified once")
  func createStubFunction() {
    let log = Log()
    let plugins = [LoggingPlugin(name: "A", log: log)]
    for isCancelled in [false, true] {
      let provider = ManualStubProvider(stubClosure: MoyaProvider.immediatelyStub, plugins: plugins)
      _ = provider.request(.zen, completion: outcome.completion)
      if isCancelled { provider.token.cancel() }
      provider.time.advance(by: .seconds(1))
    }
    #expect(outcome.summaries == ["201", "cancelled"])
    #expect(
      log.all == [
        "A prepare", "A willSend A", "A didReceive 200", "A process 200", "A prepare", "A willSend A",
        "A didReceive cancelled", "A process cancelled",
      ])
  }
}
