import Dispatch
import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing

/// The threads on which a WebSocket runs the code of its user.
@Suite("WebSocket threads", .timeLimit(.minutes(5)))
struct WebSocketThreadTests {
  /// Blocks the first time it is called, until it is released.
  private final class Block: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let wasCalled = Lock(false)
    private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)

    func callAsFunction() {
      let isFirst = wasCalled.withLock { wasCalled in
        defer { wasCalled = true }
        return !wasCalled
      }
      guard isFirst else { return }
      continuation.finish()
      gate.wait()
    }

    func waitUntilCalled() async { for await _ in stream {} }

    func release() { gate.signal() }
  }

  private struct BlockingPlugin: PluginType {
    let block: Block

    func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) { block() }
  }

  private struct BlockingObserver: RequestObserver {
    let block: Block

    func didObserve(_ event: RequestEvent) {
      if case .bodyReceived = event.kind { block() }
    }
  }

  private func expectNoDelay(_ path: String, _ block: Block, _ plugin: any PluginType) async throws {
    let server = try LoopbackServer { request in
      switch request.path {
      case "/plain": .text("done")
      case "/refused": .text("no", status: 403)
      default: .webSocket { $0.send(.text("welcome")) }
      }
    }
    let transport = try CurlTransport()
    let provider = NetworkProvider<LoopbackTarget>(transport: transport, plugins: [plugin])
    provider.webSocket(LoopbackTarget(server, path)) { _ in }
    await block.waitUntilCalled()
    let other = NetworkProvider<LoopbackTarget>(transport: transport)
    #expect(try await other.response(for: LoopbackTarget(server, "/plain")).statusCode == 200)
    block.release()
  }

  @Test("a plugin that blocks delays no other request", arguments: ["/socket", "/refused"])
  func blockedPlugin(path: String) async throws {
    let block = Block()
    try await expectNoDelay(path, block, BlockingPlugin(block: block))
  }

  @Test("an observer that blocks delays no other request")
  func blockedObserver() async throws {
    let block = Block()
    try await expectNoDelay("/socket", block, BlockingObserver(block: block))
  }
}
