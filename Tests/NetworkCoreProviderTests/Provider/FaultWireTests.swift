import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Requests of a provider that fail on the wire", .timeLimit(.minutes(5)))
struct FaultWireTests {
  /// Returns the error of a request to a server, after checking that it is a `TransferError` in
  /// `.underlying`.
  private func failure(
    _ kind: TransportKind, _ server: URL, idleTimeout: TimeInterval = 60
  ) async throws -> (error: TransferError, response: Response?) {
    let provider = NetworkProvider<LoopbackTarget>(
      requestClosure: { endpoint, done in
        done(
          Result { try endpoint.urlRequest() }
            .map { request in
              var request = request
              request.timeoutInterval = idleTimeout
              return request
            }
            .mapError { .underlying($0, nil) })
      }, transport: try kind.make())
    guard case .failure(.underlying(let error, let response)) = await provider.result(LoopbackTarget(server))
    else {
      throw Unexpected()
    }
    return (try #require(error as? TransferError), response)
  }

  private struct Unexpected: Error {}

  @Test("a refused connection fails the request", arguments: TransportKind.allCases)
  func refused(kind: TransportKind) async throws {
    // The port of a stopped server may be reused; no server listens on this one.
    let (error, response) = try await failure(kind, URL(staticString: "http://127.0.0.1:1"))
    guard case .cannotConnect(let url, let reason, _) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(url.hasPrefix("http://127.0.0.1:1"))
    #expect(!reason.isEmpty)
    #expect(response == nil)
  }

  @Test("a second of silence fails the request", arguments: TransportKind.allCases)
  func silence(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .never }
    let (error, response) = try await failure(kind, server.baseURL, idleTimeout: 1)
    #expect(error == .timedOut(after: .seconds(1)))
    #expect(response == nil)
    try await server.log(until: { $0.abandoned.count == 1 && $0.openConnections == 0 })
  }

  @Test("a response that is not HTTP fails the request", arguments: TransportKind.allCases)
  func garbage(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .raw("SSH-2.0-OpenSSH_9.2\r\n".utf8) }
    let (error, _) = try await failure(kind, server.baseURL)
    guard case .badServerResponse = error else {
      Issue.record("\(error)")
      return
    }
  }

  @Test("the error of a truncated body has the part that had arrived", arguments: TransportKind.allCases)
  func truncated(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .text("0123456789").truncated(after: 4) }
    let (error, response) = try await failure(kind, server.baseURL)
    guard case .truncatedBody = error else {
      Issue.record("\(error)")
      return
    }
    #expect(response?.statusCode == 200)
  }

  @Test("a connection closed without a response fails the request", arguments: TransportKind.allCases)
  func closed(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .close }
    let (error, _) = try await failure(kind, server.baseURL)
    guard case .connectionLost = error else {
      Issue.record("\(error)")
      return
    }
  }
}
