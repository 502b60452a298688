import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Layers around a transport", .timeLimit(.minutes(5)))
struct TransportLayerTests {
  /// The layer of an application that adds nothing.
  private struct OwnLayer: TransportLayer {
    let wrapped: any Transport

    func addedCredentials(to request: TransportRequest) -> AddedCredentials {
      wrapped.addedCredentials(to: request)
    }

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      wrapped.start(request, handler: handler)
    }
  }

  /// Every layer of the package, one at a time, and all of them around each other.
  private static func stacks(_ base: any Transport, _ folder: URL) throws -> [any Transport] {
    let layers: [(any Transport) throws -> any Transport] = [
      { OwnLayer(wrapped: $0) }, { CachingTransport($0, cache: try HTTPCache()) },
      { try RecordingTransport($0, folder: folder.appendingPathComponent("\(UUID())")) },
      { ChaosTransport($0, plan: ChaosPlan(seed: 1)) },
      { $0.limitConcurrency(ConcurrencyLimit(3)) },
      { $0.limitRate(RateLimit(99, per: .seconds(60))) },
      { $0.perOrigin(PerOrigin { ConcurrencyLimit(3) }) { $0.limitConcurrency($1) } },
      { $0.hedged(HedgePolicy(after: .fixed(.seconds(60)), budget: RetryBudget(ratio: 0.1))) },
      { $0.circuitBreaker(CircuitBreaker(opensAt: .consecutiveFailures(9))) }, { Session(transport: $0) },
    ]
    return try layers.map { try $0(base) } + [try layers.reduce(base) { try $1($0) }]
  }

  @Test("every layer has the wrapped transport's capabilities")
  func capabilities() throws {
    var configuration = CurlConfiguration()
    configuration.credentials["http://h"] = .bearer(token: "t")
    configuration.cookies = .memory
    let curl = try CurlTransport(configuration: configuration)
    let folder = try TemporaryFolder()
    for stack in try Self.stacks(curl, folder.url) {
      #expect(stack.gauges == TransportGauges())
      #expect(stack.pausesTransfers)
      #expect(stack.upgradesConnections)
      // A layer calls closures of the application, or writes files.
      #expect(!stack.deliversWithoutBlocking)
      #expect(stack.defaultHeaders == curl.defaultHeaders)
      #expect(stack.addedCredentials(to: .init(url: "http://h/")) == [.cookies, .credential])
      #expect(stack.addedCredentials(to: .init(url: "http://other/")) == [.cookies])
    }
    for stack in try Self.stacks(ScriptedTransport(), folder.url) {
      #expect(stack.gauges == nil)
      #expect(!stack.pausesTransfers)
      #expect(stack.addedCredentials(to: .init(url: "http://h/")) == [])
    }
  }

  @Test("the gauges and the bytes of a transport are visible through every layer")
  func gauges() async throws {
    let server = try LoopbackServer { _ in .text("abc") }
    let curl = try CurlTransport()
    let folder = try TemporaryFolder()
    for (number, stack) in try Self.stacks(curl, folder.url).enumerated() {
      #expect(await stack.exchange(.init(url: server.origin)).error == nil)
      #expect(await suspendUntil { stack.gauges?.idleConnections == 1 })
      #expect(stack.gauges?.bodyBytesReceived == Int64(3 * (number + 1)))
      #expect(stack.gauges == curl.gauges)
    }
  }

  @Test("a transfer through every layer can be paused and resumed")
  func pausing() async throws {
    let server = try LoopbackServer { _ in .repeating(7, count: 16 << 20) }
    let folder = try TemporaryFolder()
    for stack in try Self.stacks(try CurlTransport(), folder.url) {
      let recorder = TransferRecorder(keeping: stack)
      let token = stack.start(.init(url: server.origin), handler: recorder.record)
      let transfer = try #require(token as? any Transfer)
      transfer.pause()
      await recorder.waitUntil { $0.head != nil }
      #expect(!recorder.events.isOver)
      transfer.resume()
      let events = await recorder.waitForEnd()
      #expect(events.error == nil)
      #expect(events.body.count == 16 << 20)
    }
  }

  @Test("a layer that states nothing has the wrapped transport's capabilities, and may add anything")
  func silentLayer() {
    struct SilentLayer: TransportLayer {
      let wrapped: any Transport

      func start(
        _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
      ) -> any Cancellable {
        wrapped.start(request, handler: handler)
      }
    }
    let layer = SilentLayer(wrapped: ScriptedTransport(defaultHeaders: ["X": "y"]))
    #expect(layer.defaultHeaders == ["X": "y"])
    #expect(layer.addedCredentials(to: .init(url: "http://h/")) == .unknown)
  }

  @Test("a transport that states nothing has no capabilities")
  func defaults() {
    struct Silent: Transport {
      func start(
        _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
      ) -> any Cancellable {
        CancellableToken {}
      }
    }
    #expect(Silent().gauges == nil)
    #expect(!Silent().pausesTransfers)
    #expect(!Silent().deliversWithoutBlocking)
    #expect(Silent().addedCredentials(to: .init(url: "http://h/")) == .unknown)
    #expect(AddedCredentials.unknown.contains(.cookies))
  }
}
