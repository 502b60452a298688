import Foundation
import LoopbackServer
import MoyaCompatibility
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Limits of response bodies", .timeLimit(.minutes(5)))
struct ResponseBodyLimitTests {
  /// A target with a limit for the response body.
  private struct LimitedTarget: TargetType {
    let baseURL: URL
    let path = "/"
    var task = HTTPTask.requestPlain
    let responseBodyLimit: Int?
  }

  private func error(
    _ provider: NetworkProvider<LimitedTarget>, _ target: LimitedTarget
  ) async -> TransferError? {
    do {
      _ = try await provider.response(for: target)
      return nil
    } catch {
      return error.transferError
    }
  }

  @Test(
    "the target's limit applies, or else the provider's, and a larger body fails while it arrives",
    arguments: TransportKind.allCases)
  func limits(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .repeating(7, count: 1 << 40).throttled(for: kind) }
    let transport = try kind.make()
    let url = server.baseURL
    let limited = NetworkProvider<LimitedTarget>(transport: transport, responseBodyLimit: 100_000)
    let free = NetworkProvider<LimitedTarget>(transport: transport)
    #expect(
      await error(limited, LimitedTarget(baseURL: url, responseBodyLimit: nil))
        == .responseTooLarge(limit: 100_000)
    )
    #expect(
      await error(limited, LimitedTarget(baseURL: url, responseBodyLimit: 5_000))
        == .responseTooLarge(limit: 5_000)
    )
    #expect(
      await error(free, LimitedTarget(baseURL: url, responseBodyLimit: 7)) == .responseTooLarge(limit: 7))
    try await server.log(until: { $0.abandoned.count == 3 })
  }

  @Test("responses in memory have a limit unless it is switched off; files and streams have none")
  func memory() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file()
    let transport = ScriptedTransport { $0.respond() }
    let url = URL(staticString: "http://h")
    let plain = LimitedTarget(baseURL: url, responseBodyLimit: nil)
    let download = LimitedTarget(
      baseURL: url, task: .downloadDestination { _, _ in (file, [.removePreviousFile]) },
      responseBodyLimit: nil)
    func limits(_ provider: NetworkProvider<LimitedTarget>) async -> [Int?] {
      let first = transport.transfers.count
      for target in [plain, download] { _ = await provider.outcome(target) }
      _ = try? await provider.stream(plain).response
      _ = await provider.outcome(LimitedTarget(baseURL: url, responseBodyLimit: 7))
      return transport.transfers.dropFirst(first).map(\.request.responseBodyLimit)
    }
    #expect(await limits(NetworkProvider(transport: transport)) == [256 << 20, nil, nil, 7])
    #expect(await limits(NetworkProvider(transport: transport, memoryBodyLimit: nil)) == [nil, nil, nil, 7])
    #expect(await limits(NetworkProvider(transport: transport, memoryBodyLimit: 5)) == [5, nil, nil, 7])
    #expect(
      await limits(NetworkProvider(transport: transport, responseBodyLimit: 6, memoryBodyLimit: 5))
        == [6, 6, 6, 7])
  }

  @Test("the error of a body that is too large for memory names the setting to change, and drops the body")
  func tooLarge() async throws {
    let server = try LoopbackServer { _ in .repeating(7, count: 1 << 40) }
    let provider = NetworkProvider<LimitedTarget>(memoryBodyLimit: 300_000)
    guard
      case .failure(let error) = await provider.outcome(
        LimitedTarget(baseURL: server.baseURL, responseBodyLimit: nil))
    else {
      Issue.record("no error")
      return
    }
    #expect(error.transferError == .responseTooLarge(limit: 300_000))
    let words = error.localizedDescription
    for word in ["300000", "`responseBodyLimit`", "`memoryBodyLimit`"] {
      #expect(words.contains(word), "\(words)")
    }
    #expect(error.response?.statusCode == 200)
    #expect(error.response?.data.isEmpty == true)
    try await server.log(until: { $0.abandoned.count == 1 })
  }

  @Test("a body of exactly the maximum size is accepted")
  func exact() async throws {
    let server = try LoopbackServer { _ in .text("0123456789") }
    let provider = NetworkProvider<LimitedTarget>(responseBodyLimit: 1)
    #expect(await error(provider, LimitedTarget(baseURL: server.baseURL, responseBodyLimit: 10)) == nil)
    #expect(
      await error(provider, LimitedTarget(baseURL: server.baseURL, responseBodyLimit: 9))
        == .responseTooLarge(limit: 9))
    let wrapped = NetworkProvider<MultiTarget>()
    let result = await wrapped.outcome(.target(LimitedTarget(baseURL: server.baseURL, responseBodyLimit: 9)))
    #expect(result.summary == "\(TransferError.responseTooLarge(limit: 9))")
  }

  @Test("the limit applies to stubs as to servers: in memory, in files and in streams")
  func stubs() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file()
    let head = try #require(
      HTTPURLResponse(
        url: URL(staticString: "http://h"), statusCode: 201, httpVersion: nil, headerFields: ["X": "y"]))
    let provider = NetworkProvider<LimitedTarget>(
      endpointClosure: { target in
        Endpoint(
          url: "http://h", sampleResponseClosure: { .response(head, Data("0123456789".utf8)) }, method: .get,
          task: target.task, httpHeaderFields: nil)
      }, stubClosure: MoyaProvider.immediatelyStub, responseBodyLimit: 10)
    func target(_ limit: Int?, _ task: HTTPTask = .requestPlain) -> LimitedTarget {
      LimitedTarget(baseURL: URL(staticString: "http://h"), task: task, responseBodyLimit: limit)
    }
    #expect(await error(provider, target(nil)) == nil)
    guard case .failure(let refused) = await provider.outcome(target(9)) else {
      Issue.record("no error")
      return
    }
    #expect(refused.transferError == .responseTooLarge(limit: 9))
    #expect(refused.response?.statusCode == 201)
    #expect(refused.response?.headers["X"] == "y")
    let download = HTTPTask.downloadDestination { _, _ in (file, []) }
    #expect(await error(provider, target(9, download)) == .responseTooLarge(limit: 9))
    #expect(folder.names.isEmpty)
    #expect(await error(provider, target(10, download)) == nil)
    #expect(folder.names == ["file"])
    do {
      for try await _ in provider.stream(target(9)) { Issue.record("a piece") }
      Issue.record("no error")
    } catch {
      #expect(error.transferError == .responseTooLarge(limit: 9))
    }
  }

  @Test("a negative limit counts as 0, for stubs as for servers: an empty body is accepted")
  func negative() async throws {
    let server = try LoopbackServer { _ in .text("") }
    let target = LimitedTarget(baseURL: server.baseURL, responseBodyLimit: -1)
    let wire = NetworkProvider<LimitedTarget>()
    let stubbed = NetworkProvider<LimitedTarget>(stubClosure: MoyaProvider.immediatelyStub)
    for provider in [wire, stubbed] {
      #expect(await error(provider, target) == nil)
      for try await _ in provider.stream(target) { Issue.record("a piece") }
    }
    let transport = ScriptedTransport { $0.respond() }
    _ = await NetworkProvider<LimitedTarget>(transport: transport).outcome(target)
    #expect(transport.transfers.map(\.request.responseBodyLimit) == [0])
  }

  @Test("the limit applies to files and streams, too")
  func elsewhere() async throws {
    let folder = try TemporaryFolder()
    let server = try LoopbackServer { _ in .repeating(7, count: 1 << 40) }
    let provider = NetworkProvider<LimitedTarget>()
    let file = folder.file()
    let target = LimitedTarget(
      baseURL: server.baseURL, task: .downloadDestination { _, _ in (file, []) }, responseBodyLimit: 100_000)
    #expect(await error(provider, target) == .responseTooLarge(limit: 100_000))
    #expect(folder.names.isEmpty)
    do {
      var count = 0
      for try await chunk in provider.stream(target) { count += chunk.count }
      Issue.record("no error")
    } catch {
      #expect(error.transferError == .responseTooLarge(limit: 100_000))
    }
    try await server.log(until: { $0.abandoned.count == 2 })
  }
}

extension NetworkProvider {
  fileprivate func outcome(_ target: Target) async -> Result<Response, NetworkError> {
    await withCheckedContinuation { done in request(target) { done.resume(returning: $0) } }
  }
}
