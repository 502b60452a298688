import Foundation
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("A transport that drops its handler", .timeLimit(.minutes(5)))
struct DroppedHandlerTests {
  private enum Layer: CaseIterable {
    case none, caching, recording, chaos, limited, hedged, breaking, session

    /// The layers that report the end themselves.
    static let composing: [Layer] = [.caching, .chaos, .limited, .hedged, .session]

    func around(_ wrapped: any Transport, _ folder: URL) throws -> any Transport {
      switch self {
      case .none: return wrapped
      case .caching: return CachingTransport(wrapped, cache: try HTTPCache())
      case .recording: return try RecordingTransport(wrapped, folder: folder)
      case .chaos:
        var plan = ChaosPlan(seed: 1)
        plan.garbledRate = 1
        return ChaosTransport(wrapped, plan: plan)
      case .limited: return wrapped.limitConcurrency(ConcurrencyLimit(1))
      case .hedged:
        return wrapped.hedged(HedgePolicy(after: .fixed(.seconds(60)), budget: RetryBudget(ratio: 1)))
      case .breaking: return wrapped.circuitBreaker(CircuitBreaker())
      case .session: return Session(transport: wrapped, redirectHandler: .follow)
      }
    }
  }

  private let target = LoopbackTarget(URL(staticString: "http://h"))
  private let error = TransferError.connectionLost(
    reason: "the transport released its handler before the end")

  @Test("the request ends under every layer, before and after the head", arguments: Layer.allCases)
  private func requests(layer: Layer) throws {
    let folder = try TemporaryFolder()
    for hasHead in [false, true] {
      let (wire, outcome) = (ScriptedTransport(), CompletionRecorder())
      let provider = NetworkProvider<LoopbackTarget>(transport: try layer.around(wire, folder.url))
      provider.request(target, completion: outcome.completion)
      #expect(outcome.count == 0)
      if hasHead {
        wire.transfers[0].send(.head(ResponseHead(statusCode: 200, url: "http://h/", headers: [:])))
      }
      wire.transfers[0].releaseHandler()
      #expect(outcome.count == 1)
      #expect(outcome.error?.transferError == error)
    }
  }

  @Test("the request ends if the handler is dropped within start", arguments: Layer.allCases)
  private func withinStart(layer: Layer) throws {
    let folder = try TemporaryFolder()
    let outcome = CompletionRecorder()
    let wire = ScriptedTransport { $0.releaseHandler() }
    let provider = NetworkProvider<LoopbackTarget>(transport: try layer.around(wire, folder.url))
    provider.request(target, completion: outcome.completion)
    #expect(outcome.count == 1)
    #expect(outcome.error?.transferError == error)
  }

  @Test("a cancelled request whose handler is dropped is cancelled", arguments: Layer.composing)
  private func cancelled(layer: Layer) throws {
    let folder = try TemporaryFolder()
    let wire = ScriptedTransport()
    let recorder = TransferRecorder()
    let transport = try layer.around(wire, folder.url)
    transport.start(.init(url: "http://h/"), handler: recorder.record).cancel()
    wire.transfers[0].releaseHandler()
    #expect(recorder.events.error == .cancelled)
  }

  @Test("a stream ends, with and without a layer", arguments: [Layer.none, .limited, .hedged])
  private func streams(layer: Layer) async throws {
    let folder = try TemporaryFolder()
    let wire = ScriptedTransport { transfer in
      transfer.send(
        .head(ResponseHead(statusCode: 200, url: "http://h/", headers: [:])), .body(Data("ab".utf8)))
      transfer.releaseHandler()
    }
    let provider = NetworkProvider<LoopbackTarget>(transport: try layer.around(wire, folder.url))
    var body = Data()
    await #expect(throws: NetworkError.self) {
      for try await piece in provider.stream(target) { body.append(piece) }
    }
    #expect(body == Data("ab".utf8))
  }
}
