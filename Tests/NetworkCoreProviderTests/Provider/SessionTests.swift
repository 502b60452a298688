import Dispatch
import Foundation
import LoopbackServer
import MoyaCompatibility
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A session", .timeLimit(.minutes(5)))
struct SessionTests {
  private func configuration(_ change: (URLSessionConfiguration) -> Void) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    change(configuration)
    return configuration
  }

  @Test("adds the configuration's fields to requests that do not set them, and shows them to plugins")
  func headers() async throws {
    struct SessionHeadersLogger: PluginType {
      let log: Log
      func willSend(_ request: any RequestType, target: any TargetType) {
        log(request.sessionHeaders["X-One"] ?? "-")
      }
    }
    let server = try LoopbackServer { _ in .text("ok") }
    let log = Log()
    let session = Session(
      configuration: configuration { $0.httpAdditionalHeaders = ["X-One": "1", "X-Two": 2] })
    let provider = NetworkProvider<LoopbackTarget>(
      session: session, plugins: [SessionHeadersLogger(log: log)])
    _ = await provider.result(LoopbackTarget(server).with { $0.headers = ["x-two": "own"] })
    let sent = try #require(server.log.requests.first)
    #expect(sent.headers["X-One"] == "1")
    #expect(sent.headers["X-Two"] == "own")
    #expect(log.all == ["1"])
  }

  @Test("applies the configuration's time limits")
  func times() async throws {
    let server = try LoopbackServer { _ in .never }
    for change in [
      { $0.timeoutIntervalForRequest = 0.2 }, { $0.timeoutIntervalForResource = 0.2 },
    ] as [(URLSessionConfiguration) -> Void] {
      let provider = NetworkProvider<LoopbackTarget>(session: Session(configuration: configuration(change)))
      guard case .failure(let error) = await provider.result(LoopbackTarget(server)),
        case .timedOut? = error.transferError
      else {
        Issue.record("the request did not time out")
        continue
      }
    }
  }

  @Test("stores cookies if the configuration does")
  func cookies() async throws {
    let server = try LoopbackServer { .text($0.headers["Cookie"] ?? "none") }
    server.route("/set") { _ in .status(204).header("Set-Cookie", "a=1") }
    for (change, expected) in [
      ({ $0.httpShouldSetCookies = true }, "a=1"), ({ $0.httpShouldSetCookies = false }, "none"),
      ({ $0.httpCookieAcceptPolicy = .never }, "none"), ({ $0.httpCookieStorage = nil }, "none"),
    ] as [((URLSessionConfiguration) -> Void, String)] {
      let session = Session(configuration: configuration(change))
      let provider = NetworkProvider<LoopbackTarget>(session: session)
      _ = await provider.result(LoopbackTarget(server, "/set"))
      #expect(try await provider.result(LoopbackTarget(server)).get().mapString() == expected)
    }
  }

  @Test("adds the cache policy to a request without one")
  func cachePolicy() {
    let transport = ScriptedTransport { $0.respond() }
    let session = Session(transport: transport)
    _ = session.start(TransportRequest(url: "http://h")) { _ in }
    #expect(transport.transfers[0].request.cachePolicy == .useProtocol)
    #expect(session.defaultHeaders == transport.defaultHeaders)
  }

  @Test("is not changed by changes of the configuration that it returns")
  func copiedConfiguration() {
    let session = Session(configuration: configuration { $0.timeoutIntervalForRequest = 30 })
    session.sessionConfiguration.timeoutIntervalForRequest = 1
    #expect(session.sessionConfiguration.timeoutIntervalForRequest == 30)
  }

  @Test("cancels all requests of its providers, and reports on the given queue when it has done so")
  func cancelAllRequests() async {
    let transport = ScriptedTransport()
    let session = Session(transport: transport)
    let outcome = CompletionRecorder()
    for tracks in [false, true] {
      let provider = NetworkProvider<GitHub>(session: session, trackInflights: tracks)
      for _ in 0..<2 { provider.request(.zen, completion: outcome.completion) }
    }
    transport.transfers[0].respond()
    let (queue, key) = (DispatchQueue(label: "done"), DispatchSpecificKey<String>())
    queue.setSpecific(key: key, value: "done")
    let queueName = await withCheckedContinuation { (done: CheckedContinuation<String?, Never>) in
      session.cancelAllRequests(completingOnQueue: queue) {
        done.resume(returning: DispatchQueue.getSpecific(key: key))
      }
    }
    #expect(queueName == "done")
    #expect(outcome.summaries == ["200", "cancelled", "cancelled", "cancelled"])
    #expect(transport.transfers.map(\.cancelCount) == [0, 1, 1])
    NetworkProvider<GitHub>(session: session).request(.zen, completion: outcome.completion)
    transport.transfers.last?.respond(204)
    #expect(outcome.summaries.last == "204")
  }

  @Test("cancels streams and downloads like other requests")
  func cancelsStreams() {
    let transport = ScriptedTransport()
    let session = Session(transport: transport)
    let provider = NetworkProvider<LoopbackTarget>(session: session)
    let target = LoopbackTarget(URL(staticString: "http://h"))
    let destination: DownloadDestination = { url, _ in (url, []) }
    let outcome = CompletionRecorder()
    provider.stream(target) { _ in }
    provider.request(
      target.with { $0.task = .downloadDestination(destination) }, completion: outcome.completion)
    session.cancelAllRequests()
    #expect(transport.transfers.map(\.isCancelled) == [true, true])
    #expect(outcome.summaries == ["cancelled"])
    transport.finish()
  }

  @Test("cancels every request on the wire before the first completion runs")
  func cancelsWireFirst() {
    let transport = ScriptedTransport()
    let session = Session(transport: transport)
    let provider = NetworkProvider<GitHub>(session: session)
    let cancelled = Log()
    for _ in 0..<3 {
      provider.request(.zen) { _ in cancelled("\(transport.transfers.map(\.cancelCount))") }
    }
    session.cancelAllRequests()
    #expect(cancelled.all == ["[1, 1, 1]", "[1, 1, 1]", "[1, 1, 1]"])
  }

  @Test("does not keep ended requests")
  func endedRequests() {
    weak var ended: AnyObject?
    let session = Session(transport: ScriptedTransport())
    do {
      let provider = NetworkProvider<GitHub>(stubClosure: NetworkProvider.immediatelyStub, session: session)
      ended = provider.request(.zen) { _ in } as AnyObject
    }
    withExtendedLifetime(session) { #expect(ended == nil) }
  }

  @Test("a retrier can read the response of a request's task, and cancel the request")
  func requestTask() {
    struct Cancelling: RequestInterceptor {
      let log: Log
      func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
      ) {
        log("\((request.task?.response as? HTTPURLResponse)?.statusCode ?? 0) \(request.isCancelled)")
        log("\(request.task?.originalRequest?.url?.path ?? "") \(request.cancel().isCancelled)")
        completion(.retry)
      }
    }
    let log = Log()
    let outcome = CompletionRecorder()
    let transport = ScriptedTransport { $0.respond(503) }
    let session = Session(transport: transport, interceptor: Cancelling(log: log))
    NetworkProvider<GitHub>(session: session).request(.zen, completion: outcome.completion)
    #expect(log.all == ["503 false", "/zen true"])
    #expect(outcome.summaries == ["cancelled"])
    #expect(transport.transfers.count == 1)
  }

  @Test("runs its interceptor before the provider's")
  func interceptor() {
    let transport = ScriptedTransport { $0.respond() }
    func adding(_ mark: String) -> Adapter {
      Adapter { request, _, completion in
        var request = request
        request.headers.add(name: "Seen", value: (request.headers["Seen"] ?? "") + mark)
        completion(.success(request))
      }
    }
    let session = Session(transport: transport, interceptor: adding("a"))
    NetworkProvider<GitHub>(session: session, interceptors: [adding("b")]).request(.zen) { _ in }
    #expect(transport.transfers.map { $0.request.headers["Seen"] } == ["ab"])
  }

  @Test("layers around a session keep its interceptor, its limits and its requests")
  func layers() {
    let adding = Adapter { request, _, completion in
      var request = request
      request.headers.add(name: "Seen", value: "a")
      completion(.success(request))
    }
    let transport = ScriptedTransport()
    let session = Session(transport: transport, interceptor: adding)
    let layered = ChaosTransport(
      session.limitConcurrency(ConcurrencyLimit(1)), plan: ChaosPlan(seed: 1))
    let provider = NetworkProvider<GitHub>(transport: layered)
    let outcome = CompletionRecorder()
    for _ in 0..<2 { provider.request(.zen, completion: outcome.completion) }
    #expect(transport.transfers.map { $0.request.headers["Seen"] } == ["a"])
    session.cancelAllRequests()
    #expect(outcome.summaries == ["cancelled", "cancelled"])
    #expect(transport.transfers.map(\.cancelCount) == [1])
  }

  @Test("layers around a session keep its configuration, its cache and its time limit")
  func configurationInsideLayers() {
    struct TimeLogger: PluginType {
      let log: Log
      func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
        log("\(request.timeoutInterval)")
        return request
      }
    }
    let session = Session(
      configuration: configuration {
        $0.timeoutIntervalForRequest = 31
        $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
      })
    let log = Log()
    let provider = NetworkProvider<GitHub>(
      stubClosure: NetworkProvider.immediatelyStub,
      transport: session.limitConcurrency(ConcurrencyLimit(1)), plugins: [TimeLogger(log: log)])
    provider.request(.zen) { _ in }
    #expect(log.all == ["31.0"])
    #expect(session.cache != nil)
    #expect(provider.session.cache === session.cache)
    #expect(provider.session.sessionConfiguration.timeoutIntervalForRequest == 31)
    #expect(provider.session.startRequestsImmediately)
  }

  @Test("layers around a session keep its observers")
  func observersInsideLayers() {
    let events = ObservedEvents()
    let session = Session(transport: ScriptedTransport { $0.respond() })
    session.observe(with: [events])
    let layered = session.limitConcurrency(ConcurrencyLimit(1))
    NetworkProvider<GitHub>(transport: layered).request(.zen) { _ in }
    #expect(events.names.prefix(2) == ["queued", "started"])
  }

  @Test("around layers of another session has an interceptor and requests of its own")
  func sessionAroundLayers() {
    let adding = Adapter { request, _, completion in
      var request = request
      request.headers.add(name: "Seen", value: "a")
      completion(.success(request))
    }
    let transport = ScriptedTransport()
    let base = Session(transport: transport, interceptor: adding)
    let session = Session(transport: base.limitConcurrency(ConcurrencyLimit(1)))
    let outcome = CompletionRecorder()
    NetworkProvider<GitHub>(session: session).request(.zen, completion: outcome.completion)
    #expect(transport.transfers.map { $0.request.headers["Seen"] } == [nil])
    base.cancelAllRequests()
    #expect(outcome.count == 0)
    session.cancelAllRequests()
    #expect(outcome.summaries == ["cancelled"])
  }

  @Test("adapters get the provider's session, and can send requests with it")
  func adapters() async throws {
    let server = try LoopbackServer { .text($0.path) }
    let session = Session(configuration: .ephemeral)
    let log = Log()
    let adapter = Adapter { request, given, completion in
      log("\(given === session)")
      _ = given.start(TransportRequest(url: "\(server.origin)/first")) { event in
        if case .finished = event { completion(.success(request)) }
      }
    }
    let provider = NetworkProvider<LoopbackTarget>(session: session, interceptors: [adapter])
    #expect(try await provider.result(LoopbackTarget(server, "/second")).get().mapString() == "/second")
    #expect(log.all == ["true"])
    #expect(server.log.requests.map(\.path) == ["/first", "/second"])
  }

  @Test("with a trust manager uses its interceptor and its redirect handler")
  func parts() async throws {
    let server = try LoopbackServer { $0.path == "/" ? .redirect(to: "/b") : .text("there") }
    let trust = ServerTrustManager(allHostsMustBeEvaluated: false, evaluators: [:])
    let session = Session(
      interceptor: RetryPolicy(), serverTrustManager: trust, redirectHandler: Redirector.doNotFollow)
    #expect(session.interceptor is RetryPolicy)
    #expect(
      await NetworkProvider<LoopbackTarget>(session: session).result(LoopbackTarget(server)).summary == "302")
  }

  @Test("with event monitors uses its redirect handler")
  func monitoredRedirects() async throws {
    let server = try LoopbackServer { $0.path == "/" ? .redirect(to: "/b") : .text("there") }
    let session = Session(
      configuration: .ephemeral, redirectHandler: Redirector.doNotFollow, eventMonitors: [])
    #expect(
      await NetworkProvider<LoopbackTarget>(session: session).result(LoopbackTarget(server)).summary == "302")
  }

  @Test("that cannot be created ends every request with the reason")
  func unusable() async throws {
    var noKeys = ServerTrustPolicy()
    noKeys.publicKeys = []
    let trust = ServerTrustManager(evaluators: ["h": noKeys])
    let sessions = [
      Session(serverTrustManager: trust), Session(configuration: .ephemeral, serverTrustManager: trust),
      Session(
        configuration: .ephemeral, serverTrustPolicyManager: ServerTrustPolicyManager(policies: ["h": noKeys])
      ),
    ]
    for session in sessions {
      let result = await NetworkProvider<LoopbackTarget>(session: session).result(
        LoopbackTarget(URL(staticString: "https://h")))
      guard case .failure(let error) = result, case .other(0, let reason)? = error.transferError else {
        Issue.record("\(result)")
        continue
      }
      #expect(reason.contains("publicKeys"))
    }
  }
}
