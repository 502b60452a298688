import Dispatch
import Foundation
import ReactiveNetworkLock
import LoopbackServer
import class MoyaCompatibility.Adapter
import class MoyaCompatibility.Interceptor
import class MoyaCompatibility.Retrier
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Sharing transfers in flight", .timeLimit(.minutes(5)))
struct InflightTests {
  private struct InflightTarget: TargetType, AccessTokenAuthorizable {
    var path = "/"
    var method = HTTPMethod.get
    var task = HTTPTask.requestPlain
    var headers: [String: String]?
    var validationType = ValidationType.none
    var authorizationType: AuthorizationType?
    var sharing: Bool?
    var timeout: Duration?
    var cachePolicy: URLRequest.CachePolicy?
    var responseBodyLimit: Int?
    var baseURL: URL { URL(staticString: "http://h") }
    var sharesInflightRequests: Bool { sharing ?? (method == .get) }
  }

  private let transport = ScriptedTransport()
  private let outcome = CompletionRecorder()
  private let log = Log()
  /// Several callers of a transfer get its events when the time advances.
  private let time = ManualDelayScheduler()

  private func provider(_ tracks: Bool = true, _ plugins: [any PluginType] = []) -> NetworkProvider<
    InflightTarget
  > {
    NetworkProvider(transport: transport, plugins: plugins, trackInflights: tracks, scheduler: time)
  }

  @Test("equal requests share one transfer, and each completes once")
  func shared() {
    let provider = provider()
    for index in 0..<3 {
      provider.request(InflightTarget()) { [log] in log("\(index) \($0.summary)") }
    }
    #expect(transport.transfers.count == 1)
    transport.transfers[0].respond(200, "x")
    time.advance(by: .zero)
    #expect(log.all == ["0 200", "1 200", "2 200"])
  }

  @Test("inflightRequests has the requests in flight with their completions")
  func inflightRequests() {
    let provider = provider()
    for _ in 0..<2 { provider.request(InflightTarget(), completion: outcome.completion) }
    let other = provider.request(InflightTarget(path: "/other"), completion: outcome.completion)
    let found = provider.inflightRequests
    #expect(
      found.mapValues(\.count).map { "\($0.url) \($1)" }.sorted() == ["http://h/ 2", "http://h/other 1"])
    #expect(found[provider.endpoint(InflightTarget())]?.count == 2)
    other.cancel()
    transport.transfers[0].respond()
    time.advance(by: .zero)
    #expect(provider.inflightRequests.isEmpty)
    #expect(outcome.count == 3)
  }

  @Test("the completions of equal requests are listed in the order of the requests")
  func orderOfListedCompletions() throws {
    let provider = provider()
    for index in 0..<3 {
      provider.request(InflightTarget()) { [log] in log("\(index) \($0.summary)") }
    }
    let listed = try #require(provider.inflightRequests[provider.endpoint(InflightTarget())])
    for completion in listed { completion(.failure(.cancelled)) }
    #expect(log.all == ["0 cancelled", "1 cancelled", "2 cancelled"])
    transport.finish()
    time.advance(by: .zero)
  }

  @Test(
    "a request stays listed until its completion has returned, whatever its result",
    arguments: [false, true])
  func listedWithinCompletion(isCancelled: Bool) {
    let provider = provider()
    let log = log
    let tokens = (0..<2).map { index in
      provider.request(InflightTarget()) { _ in
        log("\(index): \(provider.inflightRequests.mapValues(\.count).values.map { $0 })")
      }
    }
    if isCancelled { tokens.forEach { $0.cancel() } } else { transport.transfers[0].respond() }
    time.advance(by: .zero)
    #expect(log.all == ["0: [2]", "1: [1]"])
    #expect(provider.inflightRequests.isEmpty)
  }

  @Test("an equal request that a completion makes starts a new transfer")
  func requestWithinCompletion() {
    let provider = provider()
    let outcome = outcome
    provider.request(InflightTarget()) { _ in
      provider.request(InflightTarget(), completion: outcome.completion)
    }
    transport.transfers[0].respond()
    #expect(provider.inflightRequests.count == 1)
    transport.transfers.last?.respond(204)
    #expect(outcome.summaries == ["204"])
    #expect(provider.inflightRequests.isEmpty)
  }

  @Test("nothing is shared without trackInflights")
  func untracked() {
    let provider = provider(false)
    for _ in 0..<3 { provider.request(InflightTarget(), completion: outcome.completion) }
    #expect(transport.transfers.count == 3)
    transport.finish()
  }

  @Test("a request after the end starts a new transfer")
  func afterTheEnd() {
    let provider = provider()
    provider.request(InflightTarget(), completion: outcome.completion)
    transport.transfers[0].respond()
    provider.request(InflightTarget(), completion: outcome.completion)
    #expect(transport.transfers.count == 2)
    transport.transfers[1].respond(204)
    #expect(outcome.summaries == ["200", "204"])
  }

  @Test(
    "different requests do not share a transfer",
    arguments: [
      InflightTarget(path: "/b"), InflightTarget(method: .head, sharing: true),
      InflightTarget(headers: ["X-A": "b"]),
      InflightTarget(task: .requestData(Data("b".utf8))), InflightTarget(timeout: .seconds(59)),
      InflightTarget(timeout: .seconds(60)),
      InflightTarget(responseBodyLimit: 9),
      InflightTarget(cachePolicy: .useProtocolCachePolicy),
    ])
  private func different(other: InflightTarget) {
    let provider = provider()
    provider.request(InflightTarget(), completion: outcome.completion)
    provider.request(other, completion: outcome.completion)
    #expect(transport.transfers.count == 2)
    transport.finish()
    #expect(outcome.count == 2)
  }

  @Test("each caller's body limit applies; callers with the same limit share a transfer")
  func limits() {
    let provider = provider()
    for (name, limit) in [("a", 4), ("b", nil), ("c", 4), ("d", 5)] {
      provider.request(InflightTarget(responseBodyLimit: limit)) { [log] in log("\(name) \($0.summary)") }
    }
    #expect(transport.transfers.map(\.request.responseBodyLimit) == [4, 256 << 20, 5])
    transport.transfers[0].send(.finished(.responseTooLarge(limit: 4)))
    time.advance(by: .zero)
    transport.transfers[1].respond(200, "12345")
    transport.transfers[2].respond(200, "12345")
    let refusal = "\(TransferError.responseTooLarge(limit: 4))"
    #expect(log.all == ["a \(refusal)", "c \(refusal)", "b 200", "d 200"])
  }

  @Test("unsafe methods share a transfer only if the target allows it")
  func unsafe() {
    struct DefaultTarget: TargetType {
      var method: HTTPMethod
      var baseURL: URL { URL(staticString: "http://h") }
      var path: String { "" }
    }
    let plain = NetworkProvider<DefaultTarget>(transport: transport, trackInflights: true)
    for method in [HTTPMethod.post, .put, .delete, .patch] {
      for _ in 0..<2 { plain.request(DefaultTarget(method: method), completion: outcome.completion) }
    }
    #expect(transport.transfers.count == 8)
    let provider = provider()
    for _ in 0..<2 {
      provider.request(InflightTarget(method: .post, sharing: true), completion: outcome.completion)
    }
    #expect(transport.transfers.count == 9)
    transport.finish()
    time.advance(by: .zero)
    #expect(outcome.count == 10)
  }

  @Test("a request whose method differs from the target's is not shared")
  func replacedMethod() {
    struct PostPlugin: PluginType {
      func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
        var request = request
        request.httpMethod = "POST"
        return request
      }
    }
    let provider = provider(true, [PostPlugin()])
    for _ in 0..<2 { provider.request(InflightTarget(), completion: outcome.completion) }
    #expect(transport.transfers.count == 2)
    transport.finish()
    #expect(outcome.count == 2)
  }

  @Test("a cancellation affects only its caller; the last one stops the transfer")
  func cancel() {
    let provider = provider()
    let first = provider.request(InflightTarget(), completion: outcome.completion)
    let second = provider.request(InflightTarget(), completion: outcome.completion)
    first.cancel()
    #expect(outcome.summaries == ["cancelled"])
    #expect(transport.transfers[0].cancelCount == 0)
    #expect(!second.isCancelled)
    second.cancel()
    #expect(outcome.summaries == ["cancelled", "cancelled"])
    #expect(transport.transfers[0].cancelCount == 1)
    provider.request(InflightTarget(), completion: outcome.completion)
    #expect(transport.transfers.count == 2)
    transport.transfers[1].respond()
    #expect(outcome.summaries.last == "200")
  }

  @Test("a transfer that all callers have left is released, with the body of its request")
  func released() {
    let provider = provider()
    do {
      let bytes = UnsafeMutableRawPointer.allocate(byteCount: 1 << 16, alignment: 1)
      let body = Data(
        bytesNoCopy: bytes, count: 1 << 16,
        deallocator: .custom { [log] bytes, _ in
          bytes.deallocate()
          log("released")
        })
      let target = InflightTarget(method: .post, task: .requestData(body), sharing: true)
      let calls = (0..<2).map { _ in provider.request(target, completion: outcome.completion) }
      for call in calls { call.cancel() }
    }
    #expect(outcome.summaries == ["cancelled", "cancelled"])
    #expect(transport.transfers.count == 1)
    #expect(log.all.isEmpty)
    transport.transfers[0].releaseHandler()
    transport.forget()
    #expect(log.all == ["released"])
  }

  @Test("the remaining callers get the response")
  func leave() {
    let provider = provider()
    let first = provider.request(InflightTarget(), completion: outcome.completion)
    provider.request(InflightTarget(), completion: outcome.completion)
    first.cancel()
    transport.transfers[0].respond(204)
    #expect(outcome.summaries == ["cancelled", "204"])
  }

  @Test("each caller's plugins prepare, see and process its own request")
  func plugins() {
    let provider = provider(true, [LoggingPlugin(name: "A", log: log)])
    for _ in 0..<2 { provider.request(InflightTarget(), completion: outcome.completion) }
    #expect(log.all == ["A prepare", "A willSend A", "A prepare", "A willSend A"])
    transport.transfers[0].respond()
    time.advance(by: .zero)
    #expect(
      log.all.dropFirst(4) == ["A didReceive 200", "A process 200", "A didReceive 200", "A process 200"])
    #expect(outcome.summaries == ["201", "201"])
    #expect(transport.transfers.count == 1)
  }

  /// The ways in which a request gets the credential of the user who is signed in.
  private enum CredentialSource: String, CaseIterable, CustomTestStringConvertible {
    case tokenPlugin, basicPlugin, digestPlugin, interceptor

    var testDescription: String { rawValue }

    func plugins(_ user: @escaping @Sendable () -> String) -> [any PluginType] {
      switch self {
      case .tokenPlugin: [AccessTokenPlugin { _ in user() }]
      case .basicPlugin, .digestPlugin:
        [
          CredentialsPlugin(scheme: self == .basicPlugin ? .basic : .digest) { _ in
            URLCredential(user: "u", password: user(), persistence: .none)
          }
        ]
      case .interceptor: []
      }
    }

    func interceptors(_ user: @escaping @Sendable () -> String) -> [any RequestInterceptor] {
      guard self == .interceptor else { return [] }
      return [
        Interceptor(adapters: [
          Adapter { request, _, completion in
            var request = request
            request.setValue(user(), forHTTPHeaderField: "Authorization")
            completion(.success(request))
          }
        ])
      ]
    }
  }

  @Test("callers share only with callers that have the same credential", arguments: CredentialSource.allCases)
  private func credentials(source: CredentialSource) {
    let user = Lock("ann")
    let current: @Sendable () -> String = { user.withLock { $0 } }
    let provider = NetworkProvider<InflightTarget>(
      transport: transport, plugins: source.plugins(current), interceptors: source.interceptors(current),
      trackInflights: true, scheduler: time)
    for name in ["ann", "bob", "ann"] {
      user.withLock { $0 = name }
      provider.request(InflightTarget(authorizationType: .bearer)) { [log] result in
        log("\(name) \((try? result.get().mapString()) ?? "failed")")
      }
    }
    #expect(transport.transfers.count == 2)
    for (transfer, body) in zip(transport.transfers, ["for ann", "for bob"]) {
      transfer.respond(200, body)
      time.advance(by: .zero)
    }
    #expect(log.all == ["ann for ann", "ann for ann", "bob for bob"])
  }

  @Test("each caller validates the response by its own rule")
  func validation() {
    let provider = provider()
    for validation in [ValidationType.none, .successCodes] {
      provider.request(InflightTarget(validationType: validation), completion: outcome.completion)
    }
    #expect(transport.transfers.count == 1)
    transport.transfers[0].respond(404)
    time.advance(by: .zero)
    #expect(outcome.summaries.count == 2 && outcome.summaries[0] == "404" && outcome.summaries[1] != "404")
  }

  @Test("the retries of callers share a transfer again")
  func retries() {
    let retrier = Retrier { request, _, _, completion in
      completion(request.retryCount < 1 ? .retry : .doNotRetry)
    }
    let provider = NetworkProvider<InflightTarget>(
      transport: transport, interceptors: [Interceptor(retriers: [retrier])], trackInflights: true,
      scheduler: time)
    for _ in 0..<3 { provider.request(InflightTarget(), completion: outcome.completion) }
    transport.transfers[0].respond(503)
    time.advance(by: .zero)
    #expect(transport.transfers.count == 2)
    transport.transfers[1].respond(200)
    time.advance(by: .zero)
    #expect(outcome.summaries == ["200", "200", "200"])
  }

  @Test("progress reaches every caller, and each gets a last progress with the response")
  func progress() {
    let provider = provider()
    for index in 0..<2 {
      provider.request(
        InflightTarget(), progress: { [log] in log("\(index) \($0.progress) \($0.completed)") },
        completion: outcome.completion)
    }
    let head = ResponseHead(statusCode: 200, url: "http://h", headers: ["Content-Length": "4"])
    for event: TransferEvent in [
      .head(head), .body(Data("ab".utf8)), .body(Data("cd".utf8)), .finished(nil),
    ] {
      transport.transfers[0].send(event)
      time.advance(by: .seconds(1))
    }
    for index in 0..<2 {
      #expect(
        log.all.filter { $0.hasPrefix("\(index)") } == [
          "\(index) 0.5 false", "\(index) 1.0 false", "\(index) 1.0 true",
        ])
    }
  }

  @Test("equal stubbed requests share a stub, and use no transfer")
  func stubs() {
    let samples = Lock(0)
    let provider = NetworkProvider<InflightTarget>(
      endpointClosure: { _ in
        Endpoint(
          url: "http://h",
          sampleResponseClosure: {
            samples.withLock { $0 += 1 }
            return .networkResponse(200, Data())
          }, method: .get, task: .requestPlain, httpHeaderFields: nil)
      }, stubClosure: NetworkProvider.delayedStub(1), transport: transport, trackInflights: true,
      scheduler: time)
    for _ in 0..<2 { provider.request(InflightTarget(), completion: outcome.completion) }
    time.advance(by: .seconds(1))
    #expect(outcome.summaries == ["200", "200"])
    #expect(samples.withLock { $0 } == 1)
    #expect(transport.transfers.isEmpty)
  }

  @Test("forms are compared by their parts")
  func forms() {
    let provider = provider()
    for text in ["x", "x", "y"] {
      let part = MultipartFormBodyPart(provider: .data(Data(text.utf8)), name: "a")
      provider.request(
        InflightTarget(method: .post, task: .uploadMultipartFormData([part]), sharing: true),
        completion: outcome.completion)
    }
    #expect(transport.transfers.count == 2)
    transport.transfers.forEach { $0.respond() }
    time.advance(by: .zero)
    #expect(outcome.summaries == ["200", "200", "200"])
  }

  @Test("a stubbed request joins no transfer")
  func stubbed() {
    let isStubbed = Lock(false)
    let provider = NetworkProvider<InflightTarget>(
      stubClosure: { _ in isStubbed.withLock { $0 } ? .immediate : .never }, transport: transport,
      trackInflights: true)
    provider.request(InflightTarget(), completion: outcome.completion)
    isStubbed.withLock { $0 = true }
    provider.request(InflightTarget(), completion: outcome.completion)
    #expect(outcome.summaries == ["200"])
    transport.transfers[0].respond(204)
    #expect(outcome.summaries == ["200", "204"])
  }

  @Test("callers can join a request that a plugin makes when it is notified of the last cancellation")
  func successor() {
    final class ActionPlugin: PluginType {
      let action = Lock<(@Sendable () -> Void)?>(nil)
      func didReceive(_ result: Result<Response, NetworkError>, target: any TargetType) {
        let once = action.withLock { action in
          defer { action = nil }
          return action
        }
        once?()
      }
    }
    let again = ActionPlugin()
    let provider = provider(true, [again])
    let outcome = outcome
    again.action.withLock { $0 = { provider.request(InflightTarget(), completion: outcome.completion) } }
    provider.request(InflightTarget(), completion: outcome.completion).cancel()
    #expect(transport.transfers.count == 2)
    provider.request(InflightTarget(), completion: outcome.completion)
    #expect(transport.transfers.count == 2)
    transport.transfers.last?.respond()
    time.advance(by: .zero)
    #expect(outcome.summaries == ["cancelled", "200", "200"])
  }

  @Test(
    "a caller whose handler waits for the handler of another caller does not delay it",
    arguments: [false, true])
  func handlersThatWait(inProgress: Bool) async {
    let provider = NetworkProvider<InflightTarget>(transport: transport, trackInflights: true)
    let (transport, isCalled) = (transport, DispatchSemaphore(value: 0))
    let isInTime = await withCheckedContinuation { done in
      let wait = { @Sendable in
        done.resume(returning: isCalled.wait(timeout: .now() + TestTimeouts.longestWait) == .success)
      }
      if inProgress {
        // The last progress comes with the completion.
        provider.request(
          InflightTarget(), progress: { if !$0.completed { wait() } }, completion: outcome.completion)
        provider.request(
          InflightTarget(), progress: { _ in isCalled.signal() }, completion: outcome.completion)
      } else {
        provider.request(InflightTarget()) { _ in wait() }
        provider.request(InflightTarget()) { _ in isCalled.signal() }
      }
      Thread.detachNewThread {
        transport.transfers[0].send(
          .head(ResponseHead(statusCode: 200, url: "http://h", headers: ["Content-Length": "4"])),
          .body(Data("abcd".utf8)), .finished(nil))
      }
    }
    #expect(isInTime)
  }

  @Test("downloads and streams are not shared")
  func deliveries() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file()
    let transport = ScriptedTransport { $0.respond(200, "ok") }
    let provider = NetworkProvider<LoopbackTarget>(transport: transport, trackInflights: true)
    let target = LoopbackTarget(URL(staticString: "http://h"))
    let download = target.with { $0.task = .downloadDestination { _, _ in (file, []) } }
    #expect(try await provider.result(download).get().fileURL == file)
    var body = Data()
    for try await chunk in provider.stream(target) { body.append(chunk) }
    #expect(body == Data("ok".utf8))
  }

  @Test("each of the callers that start and cancel on many threads completes exactly once")
  func race() async {
    let transport = ScriptedTransport { transfer in
      DispatchQueue.global().async { transfer.respond() }
    }
    let provider = NetworkProvider<InflightTarget>(transport: transport, trackInflights: true)
    let calls = 4_000
    let told = Lock(Array(repeating: 0, count: calls))
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      let left = Lock(calls)
      DispatchQueue.global().async {
        DispatchQueue.concurrentPerform(iterations: calls) { index in
          let token = provider.request(InflightTarget()) { _ in
            told.withLock { $0[index] += 1 }
            let isLast = left.withLock { left in
              left -= 1
              return left == 0
            }
            if isLast { done.resume() }
          }
          if index.isMultiple(of: 3) { token.cancel() }
        }
      }
    }
    #expect(told.withLock { $0 } == Array(repeating: 1, count: calls))
    #expect(transport.transfers.count < calls)
  }

  @Test(
    "the server sees one request, and its end when the last caller has cancelled",
    arguments: TransportKind.allCases)
  func wire(kind: TransportKind) async throws {
    let server = try LoopbackServer { _ in .never }
    let provider = NetworkProvider<LoopbackTarget>(transport: try kind.make(), trackInflights: true)
    let tokens = (0..<10).map { _ in provider.request(LoopbackTarget(server), completion: outcome.completion)
    }
    try await server.log { $0.requestCount == 1 }
    tokens.forEach { $0.cancel() }
    try await server.log { $0.abandoned.count == 1 }
    #expect(outcome.summaries == Array(repeating: "cancelled", count: 10))
    #expect(server.log.requestCount == 1)
  }
}
