import Dispatch
import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Requests that block the calling thread", .timeLimit(.minutes(5)))
struct BlockingRequestTests {
  /// Runs a blocking closure on a thread that may block.
  private func runBlocking<Value: Sendable>(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Value)
    async
    -> Value
  {
    await withCheckedContinuation { done in queue.async { done.resume(returning: work()) } }
  }

  @Test(
    "the response is also returned on the provider's own callback queue", arguments: TransportKind.allCases)
  func ownQueue(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let queue = DispatchQueue(label: "callbacks")
    let provider = NetworkProvider<LoopbackTarget>(callbackQueue: queue, transport: try kind.make())
    let target = LoopbackTarget(server)
    #expect(await runBlocking(on: queue) { provider.requestAndWait(target).summary } == "200")
  }

  @Test(
    "a subclass's override of request is used, and may forward the queue", arguments: TransportKind.allCases)
  func subclass(kind: TransportKind) async throws {
    final class RefreshingProvider: NetworkProvider<LoopbackTarget>, @unchecked Sendable {
      let log = Log()
      override func request(
        _ target: LoopbackTarget, callbackQueue: DispatchQueue? = nil, progress: ProgressBlock? = nil,
        completion: @escaping Completion
      ) -> any Cancellable {
        log("refresh")
        return super.request(
          target, callbackQueue: callbackQueue, progress: progress, completion: completion)
      }
    }
    let server = try LoopbackServer { _ in .text("ok") }
    let queue = DispatchQueue(label: "callbacks")
    let provider = RefreshingProvider(callbackQueue: queue, transport: try kind.make())
    let target = LoopbackTarget(server)
    #expect(await runBlocking(on: queue) { provider.requestAndWait(target).summary } == "200")
    #expect(provider.log.all == ["refresh"])
  }

  @Test("many threads may wait at once")
  func manyThreads() async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let provider = NetworkProvider<LoopbackTarget>(callbackQueue: .global(), transport: try CurlTransport())
    let target = LoopbackTarget(server)
    let summaries = await withTaskGroup(of: String.self) { group in
      for _ in 0..<100 {
        group.addTask {
          await withCheckedContinuation { done in
            Thread.detachNewThread { done.resume(returning: provider.requestAndWait(target).summary) }
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(summaries == Array(repeating: "200", count: 100))
  }

  @Test(
    "the response also arrives in nested callbacks without a queue", arguments: TransportKind.allCases)
  func callback(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .text("ok") }
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make())
    let target = LoopbackTarget(server)
    let inner = await withCheckedContinuation { done in
      provider.request(target) { _ in
        provider.request(target) { _ in done.resume(returning: provider.requestAndWait(target).summary) }
        _ = provider.requestAndWait(target)
      }
    }
    #expect(inner == "200")
    try await server.log(until: { $0.requestCount == 4 })
  }

  @Test("in a callback of a transport without further threads, waiting fails and nothing is sent")
  func otherTransport() {
    let transport = ScriptedTransport()
    let provider = NetworkProvider<GitHub>(transport: transport)
    let log = Log()
    provider.request(.zen) { _ in
      let result = provider.requestAndWait(.zen)
      if case .failure(.underlying(WaitingError.wouldDeadlock, nil)) = result { log("refused") }
    }
    transport.transfers.first?.respond()
    #expect(log.all == ["refused"])
    #expect(transport.transfers.count == 1)
  }

  @Test(
    "a request does not join a transfer that is delivered on the blocked queue",
    arguments: TransportKind.allCases)
  func inflight(kind: TransportKind) async throws {
    let gate = LoopbackServer.Gate()
    let server = try LoopbackServer()
    server.route("GET", "/") { [log = server] _ in
      log.log.requestCount == 1 ? .text("first").held(until: gate) : .text("second")
    }
    let queue = DispatchQueue(label: "callbacks")
    let provider = NetworkProvider<LoopbackTarget>(
      callbackQueue: queue, transport: try kind.make(), trackInflights: true)
    let target = LoopbackTarget(server)
    let ending = CompletionStream()
    provider.request(target, completion: ending.completion)
    try await server.log { $0.requestCount == 1 }
    #expect(await runBlocking(on: queue) { provider.requestAndWait(target).summary } == "200")
    gate.open()
    #expect(await ending.next().summary == "200")
  }

  @Test("stubs respond at once")
  func stub() async {
    let provider = NetworkProvider<GitHub>(stubClosure: NetworkProvider.immediatelyStub)
    #expect(
      await runBlocking(on: DispatchQueue(label: "waiting")) { provider.requestAndWait(.zen).summary }
        == "200")
  }
}
