import NetworkCore
import ReactiveNetworkAsyncHTTPClient
import Testing
import TransportTesting

@Suite("The contract of transports, over AsyncHTTPClient", .timeLimit(.minutes(10)))
struct AsyncHTTPClientContractTests {
  private enum Stack: String, CaseIterable {
    case alone, cached, limited, session

    func transport() throws -> any Transport {
      let transport = AsyncHTTPClientTransport()
      return switch self {
      case .alone: transport
      case .cached: CachingTransport(transport, cache: try HTTPCache())
      case .limited: transport.limitConcurrency(ConcurrencyLimit(100))
      case .session:
        Session(transport: transport.circuitBreaker(CircuitBreaker(opensAt: .consecutiveFailures(1_000))))
      }
    }
  }

  @Test("the transport and stacks of layers around it keep it", arguments: Stack.allCases)
  private func contract(stack: Stack) async {
    let violations = await TransportContract { try stack.transport() }.violations()
    #expect(violations.isEmpty, "\(violations.map(\.description).joined(separator: "\n"))")
  }
}
