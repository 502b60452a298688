import Dispatch
import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A cancellation that races with another event", .timeLimit(.minutes(5)))
struct CancelRaceTests {
  private static let rounds = 2_000

  /// Counts the calls of plugins and completion for one request.
  private final class CallCounter: PluginType {
    struct Counts: Equatable {
      var willSend = 0
      var didReceive = 0
      var process = 0
      var completion = 0
      var afterTheEnd = 0
    }

    let counts = Lock(Counts())

    func willSend(_ request: any RequestType, target: any TargetType) {
      counts.withLock { $0.willSend += 1 }
    }
    func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) {
      counts.withLock { $0.didReceive += 1 }
    }
    func process(
      _ result: Result<Response, NetworkError>, target: any TargetType
    ) -> Result<Response, NetworkError> {
      counts.withLock { $0.process += 1 }
      return result
    }

    func progress(_: ProgressResponse) {
      counts.withLock { if $0.completion > 0 { $0.afterTheEnd += 1 } }
    }
    func complete(_: Result<Response, NetworkError>) { counts.withLock { $0.completion += 1 } }
  }

  /// Runs both closures at the same time, as nearly as two threads can.
  private func race(_ first: @Sendable () -> Void, _ second: @Sendable () -> Void) {
    DispatchQueue.concurrentPerform(iterations: 2) { $0 == 0 ? first() : second() }
  }

  @Test("with a response: exactly one wins, and plugins see exactly one end")
  func response() {
    for _ in 0..<Self.rounds {
      let transport = ScriptedTransport()
      let calls = CallCounter()
      let token = NetworkProvider<GitHub>(transport: transport, plugins: [calls]).request(
        .zen, progress: calls.progress, completion: calls.complete)
      race({ transport.transfers.first?.respond(headers: ["Content-Length": "1"], "x") }, { token.cancel() })
      #expect(
        calls.counts.withLock { $0 }
          == CallCounter.Counts(willSend: 1, didReceive: 1, process: 1, completion: 1))
    }
  }

  @Test("with a response on a concurrent callback queue")
  func responseOnConcurrentQueue() async {
    let queue = DispatchQueue(label: "callbacks", attributes: .concurrent)
    for _ in 0..<Self.rounds / 4 {
      let transport = ScriptedTransport()
      let calls = CallCounter()
      let token = NetworkProvider<GitHub>(callbackQueue: queue, transport: transport, plugins: [calls])
        .request(.zen, progress: calls.progress, completion: calls.complete)
      race({ transport.transfers.first?.respond(headers: ["Content-Length": "1"], "x") }, { token.cancel() })
      await queue.waitUntilDrained()
      #expect(
        calls.counts.withLock { $0 }
          == CallCounter.Counts(willSend: 1, didReceive: 1, process: 1, completion: 1))
    }
  }

  @Test(
    "with the request of the requestClosure: each didReceive follows a willSend, and the completion runs once"
  )
  func building() throws {
    for _ in 0..<Self.rounds {
      let transport = ScriptedTransport { $0.respond() }
      let calls = CallCounter()
      let pending = Lock<NetworkProvider<GitHub>.RequestResultClosure?>(nil)
      let provider = NetworkProvider<GitHub>(
        requestClosure: { _, done in pending.withLock { $0 = done } }, transport: transport, plugins: [calls])
      let token = provider.request(.zen, completion: calls.complete)
      let done = try #require(pending.withLock { $0 })
      race({ done(.success(URLRequest(url: URL(staticString: "http://h")))) }, { token.cancel() })
      let counts = calls.counts.withLock { $0 }
      #expect(counts.willSend <= 1)
      #expect(counts.didReceive == counts.willSend)
      #expect(counts.completion == 1)
      #expect(counts.process == 1)
    }
  }

  @Test("with another cancellation")
  func cancel() {
    for _ in 0..<Self.rounds {
      let transport = ScriptedTransport()
      let calls = CallCounter()
      let token = NetworkProvider<GitHub>(transport: transport, plugins: [calls]).request(
        .zen, completion: calls.complete)
      race({ token.cancel() }, { token.cancel() })
      #expect(calls.counts.withLock { $0.completion } == 1)
      #expect(transport.transfers.map(\.cancelCount) == [1])
    }
  }
}
