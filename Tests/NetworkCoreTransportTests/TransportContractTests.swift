import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import ReactiveNetworkLock
import Testing
import TransportTesting

@Suite("The contract of transports", .timeLimit(.minutes(10)))
struct TransportContractTests {
  /// The layers of the package, and one of an application.
  private enum Layer: String, CaseIterable {
    case own, caching, recording, chaos, limited, hedged, breaking, session

    func around(_ wrapped: any Transport, folder: URL) throws -> any Transport {
      switch self {
      case .own: OwnLayer(wrapped: wrapped)
      case .caching: CachingTransport(wrapped, cache: try HTTPCache())
      case .recording: try RecordingTransport(wrapped, folder: folder.appending(path: "\(UUID())"))
      case .chaos: ChaosTransport(wrapped, plan: ChaosPlan(seed: 1))
      case .limited: wrapped.limitConcurrency(ConcurrencyLimit(100))
      case .hedged: wrapped.hedged(HedgePolicy(after: .fixed(.seconds(600)), budget: RetryBudget(ratio: 0.1)))
      case .breaking: wrapped.circuitBreaker(CircuitBreaker(opensAt: .consecutiveFailures(1_000)))
      case .session: Session(transport: wrapped)
      }
    }
  }

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

  /// Layers from the inside to the outside.
  private struct Stack: CustomTestStringConvertible {
    let layers: [Layer]

    var testDescription: String { layers.map(\.rawValue).joined(separator: " in ") }

    /// Each layer alone, and stacks of two and three, in which each layer is inside and outside others.
    static let all: [Stack] = {
      let layers = Layer.allCases
      func layer(_ index: Int) -> Layer { layers[index % layers.count] }
      return layers.indices.flatMap { index in
        let stack = [layer(index), layer(index + 3), layer(index + 1)]
        return [Stack(layers: [layer(index)]), Stack(layers: Array(stack.dropLast(index % 2)))]
      }
    }()
  }

  /// Under a sanitizer on a busy machine, 32 MiB take more than half a minute to be recorded.
  private static let patience = Duration.seconds(120)

  private func expectKept(_ contract: TransportContract) async {
    let violations = await contract.violations()
    #expect(violations.isEmpty, "\(violations.map(\.description).joined(separator: "\n"))")
  }

  @Test("CurlTransport keeps it, with one loop and with two", arguments: [1, 2])
  func curl(threads: Int) async {
    await expectKept(
      TransportContract(patience: Self.patience) {
        var configuration = CurlConfiguration()
        configuration.threads = threads
        return try CurlTransport(configuration: configuration)
      })
  }

  @Test("stacks of layers keep it", arguments: Stack.all)
  private func layers(stack: Stack) async throws {
    let folder = try TemporaryFolder()
    await expectKept(
      TransportContract(patience: Self.patience) {
        try stack.layers.reduce(CurlTransport() as any Transport) { try $1.around($0, folder: folder.url) }
      })
  }

  /// What Foundation's URLSession on Linux does not keep.
  private static let notKeptByURLSession = [
    "a transport works after a cancel", "informational responses are not reported",
    "trailers are not part of the head or the body", "a GET can have a body",
    "a stream of a known length is sent with its length",
  ]

  @Test("URLSessionTransport keeps it, but for what Foundation does not do")
  func urlSession() async {
    let checks = TransportContract.Check.all.filter { !Self.notKeptByURLSession.contains($0.name) }
    #expect(checks.count == TransportContract.Check.all.count - Self.notKeptByURLSession.count)
    await expectKept(TransportContract(checks: checks, patience: Self.patience) { URLSessionTransport() })
  }
}
