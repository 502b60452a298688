import Dispatch
import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Callbacks on the thread that carries the requests", .timeLimit(.minutes(5)))
struct TransportQueueTests {
  private let server: LoopbackServer
  private let transport: CurlTransport
  /// The thread that carries the requests.
  private let loop: ThreadIdentity
  private let log = Log()

  init() async throws {
    server = try LoopbackServer { request in
      request.path == "/socket" ? .webSocket { $0.send(.text("welcome")) } : .text(request.path)
    }
    transport = try CurlTransport()
    let request = TransportRequest(url: server.origin).deliveredOnLoop
    loop = await withCheckedContinuation { [transport] done in
      _ = transport.start(request) { event in
        if case .finished = event { done.resume(returning: ThreadIdentity.current) }
      }
    }
  }

  /// Records whether the calling thread is the one that carries the requests.
  private func record() {
    log(ThreadIdentity.current == loop ? "loop" : "other")
  }

  @Test("run there only if the request or the provider specifies it")
  func thread() async throws {
    let provider = NetworkProvider<LoopbackTarget>(transport: transport)
    let other = NetworkProvider<LoopbackTarget>(callbackQueue: .transport, transport: transport)
    for (provider, queue) in [(provider, nil), (provider, .transport), (other, nil)] as [(_, DispatchQueue?)]
    {
      await withCheckedContinuation { done in
        provider.request(LoopbackTarget(server), callbackQueue: queue) { _ in
          record()
          done.resume()
        }
      }
    }
    #expect(log.all == ["other", "loop", "loop"])
  }

  @Test("include progress, plugins and streams")
  func everything() async throws {
    struct Plugin: PluginType {
      let record: @Sendable () -> Void
      func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) { record() }
    }
    let provider = NetworkProvider<LoopbackTarget>(
      callbackQueue: .transport, transport: transport, plugins: [Plugin(record: record)])
    await withCheckedContinuation { done in
      provider.request(LoopbackTarget(server)) { _ in
        record()
      } completion: { _ in
        done.resume()
      }
    }
    await withCheckedContinuation { done in
      provider.stream(LoopbackTarget(server)) { event in
        record()
        if case .finished = event { done.resume() }
      }
    }
    #expect(log.all.count >= 6)
    #expect(Set(log.all) == ["loop"])
  }

  @Test("include a stream whose response arrives before the call returns")
  func early() async throws {
    let layer = LateTokenLayer(wrapped: transport) { event in
      if case .finished = event { true } else { false }
    }
    let provider = NetworkProvider<LoopbackTarget>(transport: layer)
    await withCheckedContinuation { done in
      provider.stream(LoopbackTarget(server), callbackQueue: .transport) { event in
        record()
        if case .finished = event { done.resume() }
      }
    }
    #expect(log.all.count == 3)
    #expect(Set(log.all) == ["loop"])
  }

  @Test("include a WebSocket whose first message arrives before the call returns")
  func earlySocket() async throws {
    let layer = LateTokenLayer(wrapped: transport) { event in
      if case .body = event { true } else { false }
    }
    let provider = NetworkProvider<LoopbackTarget>(transport: layer)
    await withCheckedContinuation { done in
      provider.webSocket(LoopbackTarget(server, "/socket"), callbackQueue: .transport) { event in
        record()
        if case .finished = event { done.resume() }
      }
    }
    #expect(log.all == ["loop", "loop", "loop"])
  }

  @Test("cannot wait for a request, which is not sent", arguments: TransportKind.allCases)
  func waiting(kind: TransportKind) async throws {
    let provider = NetworkProvider<LoopbackTarget>(callbackQueue: .transport, transport: try kind.make())
    let target = LoopbackTarget(server)
    let before = server.log.requestCount
    let inner = await withCheckedContinuation { done in
      provider.request(target) { _ in done.resume(returning: provider.requestAndWait(target)) }
    }
    guard case .failure(.underlying(WaitingError.wouldDeadlock, nil)) = inner else {
      Issue.record("\(inner)")
      return
    }
    #expect(server.log.requestCount == before + 1)
  }

  @Test("belong to requests that share no transfer in flight")
  func inflight() async throws {
    let gate = LoopbackServer.Gate()
    server.route("/held") { _ in .text("ok").held(until: gate) }
    let provider = NetworkProvider<LoopbackTarget>(transport: transport, trackInflights: true)
    let endings = (0..<3).map { _ in CompletionStream() }
    for (queue, ending) in zip([.transport, nil, nil] as [DispatchQueue?], endings) {
      provider.request(LoopbackTarget(server, "/held"), callbackQueue: queue) {
        record()
        ending.completion($0)
      }
    }
    try await server.log(until: { $0.pending == 2 })
    gate.open()
    for ending in endings { #expect(await ending.next().summary == "200") }
    #expect(server.log.requests.count { $0.path == "/held" } == 2)
    #expect(log.all.sorted() == ["loop", "other", "other"])
  }
}

/// Identifies a thread.
private struct ThreadIdentity: Equatable {
  let number: UInt

  static var current: ThreadIdentity {
    #if canImport(Darwin)
      ThreadIdentity(number: UInt(bitPattern: pthread_self()))
    #else
      ThreadIdentity(number: UInt(pthread_self()))
    #endif
  }
}
