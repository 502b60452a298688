import Foundation
import ReactiveNetworkLock
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("Downloads whose transfer does not start", .timeLimit(.minutes(5)))
struct DownloadStartFailureTests {
  private let folder: TemporaryFolder
  private let target = LoopbackTarget(URL(staticString: "http://h"))
  /// A form without parts cannot be sent; this fails when the transport's request is created.
  private let unsendable = LoopbackTarget(URL(staticString: "http://h")).with {
    $0.method = .post
    $0.task = .uploadMultipartFormData([])
  }

  init() throws {
    folder = try TemporaryFolder()
  }

  private func download(
    _ target: LoopbackTarget, _ provider: NetworkProvider<LoopbackTarget> = NetworkProvider(),
    completion: @escaping Completion
  ) {
    provider.download(target, to: folder.file(), completion: completion)
  }

  /// Starts a download that fails and, in its completion, a successful one to the same file.
  private func downloadAgain(
    after failing: LoopbackTarget, _ provider: NetworkProvider<LoopbackTarget> = NetworkProvider()
  ) async throws {
    let transport = ScriptedTransport { $0.respond(200, headers: ["ETag": "\"v1\""], "body") }
    let good = NetworkProvider<LoopbackTarget>(transport: transport)
    let (first, second) = (CompletionStream(), CompletionStream())
    download(failing, provider) { [target] result in
      download(target, good, completion: second.completion)
      first.completion(result)
    }
    let failure = await first.next()
    #expect(throws: NetworkError.self) { try failure.get() }
    #expect(try await second.next().get().fileURL == folder.file())
    #expect(folder.names == ["file"])
  }

  @Test("a request that cannot be created frees the file before its completion is called")
  func request() async throws {
    try await downloadAgain(after: unsendable)
  }

  @Test("a stub that is an error frees the file before the completion is called")
  func stub() async throws {
    let endpoint = { @Sendable (target: LoopbackTarget) in
      Endpoint(
        url: "http://h", sampleResponseClosure: { .networkError(NSError(domain: "stub", code: 1)) },
        method: .get, task: target.task, httpHeaderFields: nil)
    }
    try await downloadAgain(
      after: target,
      NetworkProvider(
        endpointClosure: endpoint, stubClosure: NetworkProvider<LoopbackTarget>.immediatelyStub))
  }

  @Test("a stub that is cancelled during its delay frees the file before the completion is called")
  func cancelledStub() {
    let stubs = StubTable<LoopbackTarget>()
    stubs.add(where: { _ in true }, [.networkResponse(200, Data())], behavior: .delayed(seconds: 5))
    let provider = NetworkProvider<LoopbackTarget>(
      transport: ScriptedTransport(), stubs: stubs, scheduler: ManualDelayScheduler())
    let log = Log()
    let token = provider.download(
      target, to: folder.file(),
      completion: { [folder] result in log("\(result.summary) \(folder.names)") })
    #expect(folder.names == ["file.part"])
    token.cancel()
    #expect(log.all == ["cancelled []"])
  }

  @Test("a request that cannot be created keeps the partial file of an earlier attempt")
  func kept() async throws {
    let cut = ScriptedTransport {
      $0.send(
        .head(ResponseHead(statusCode: 200, url: "http://h", headers: ["ETag": "\"v1\""])),
        .body(Data("half".utf8)), .finished(.connectionLost(reason: "")))
    }
    let ending = CompletionStream()
    download(target, NetworkProvider(transport: cut), completion: ending.completion)
    _ = await ending.next()
    #expect(folder.names == ["file.part", "file.part.json"])
    download(unsendable, completion: ending.completion)
    _ = await ending.next()
    #expect(folder.names == ["file.part", "file.part.json"])
  }
}
