import Foundation
import NetworkCore
import Testing
import TransportTesting

private enum Examples {
  struct RequestIDs: TransportLayer {
    let wrapped: any Transport

    func addedCredentials(to request: TransportRequest) -> AddedCredentials {
      wrapped.addedCredentials(to: request)
    }

    func start(
      _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
    ) -> any Cancellable {
      var request = request
      request.headers.update(name: "X-Request-ID", value: UUID().uuidString)
      return wrapped.start(request, handler: handler)
    }
  }

  static func numbered() throws -> NetworkProvider<API> {
    let provider = NetworkProvider<API>(transport: RequestIDs(wrapped: try CurlTransport()))
    return provider
  }

  static func contract() async -> [TransportContract.Violation] {
    let contract = TransportContract { RequestIDs(wrapped: try CurlTransport()) }
    let violations = await contract.violations()
    return violations
  }
}

@Suite("Examples in Write your own transport", .timeLimit(.minutes(5)))
struct CustomTransportsTests {
  @Test("the layer of the example keeps the contract")
  func contract() async throws {
    #expect(await Examples.contract().isEmpty)
    _ = try Examples.numbered()
  }

  @Test("the layer of the example can pause and cache")
  func capabilities() throws {
    let cache = CachingTransport(try CurlTransport(), cache: try HTTPCache())
    let layer = Examples.RequestIDs(wrapped: cache)
    #expect(layer.pausesTransfers)
    #expect(layer.upgradesConnections)
    #expect(layer.addedCredentials(to: .init(method: .get, url: "https://api.example.com/")) == [])
  }
}
