import Foundation
import ReactiveNetworkLock
import class MoyaCompatibility.Interceptor
import class MoyaCompatibility.Retrier
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Interceptors", .timeLimit(.minutes(5)))
struct InterceptorTests {
  private struct Failure: Error, Equatable {}

  private let transport = ScriptedTransport()
  private let outcome = CompletionRecorder()
  private let log = Log()
  private let time = ManualDelayScheduler()

  private func provider(_ interceptors: [any RequestInterceptor]) -> NetworkProvider<GitHub> {
    NetworkProvider(
      transport: transport, plugins: [LoggingPlugin(name: "A", log: log)], interceptors: interceptors,
      scheduler: time)
  }

  @Test("each attempt is adapted, prepared and sent, and calls didReceive; process and completion come once")
  func order() {
    provider([ScriptedInterceptor("I", log, [.retry]), ScriptedInterceptor("J", log)])
      .request(.zen, completion: outcome.completion)
    let attempt = ["I adapt", "J adapt", "A prepare", "A willSend IJA"]
    #expect(log.all == attempt)
    transport.transfers[0].send(.finished(.tooManyRedirects(limit: 1)))
    let failed = attempt + ["A didReceive tooManyRedirects(limit: 1)", "I retry 0 -"]
    #expect(log.all == failed + attempt)
    #expect(outcome.count == 0)
    transport.transfers[1].respond()
    #expect(log.all == failed + attempt + ["A didReceive 200", "A process 200"])
    #expect(outcome.summaries == ["201"])
  }

  @Test("the first decision other than doNotRetry counts")
  func decisions() {
    provider([ScriptedInterceptor("I", log), ScriptedInterceptor("J", log, [.retry])])
      .request(.zen, completion: outcome.completion)
    transport.transfers[0].respond(500)
    #expect(transport.transfers.count == 2)
    transport.transfers[1].respond(500)
    #expect(
      log.all.filter { $0.contains("retry") } == [
        "I retry 0 500", "J retry 0 500", "I retry 1 500", "J retry 1 500",
      ])
    #expect(outcome.summaries == ["501"])
  }

  @Test("a response that no retrier retries is delivered unchanged")
  func untouched() {
    provider([ScriptedInterceptor("I", log)]).request(.zen, completion: outcome.completion)
    transport.transfers[0].respond(404, "no")
    #expect(outcome.summaries == ["405"])
    #expect(log.all.suffix(2) == ["I retry 0 404", "A process 404"])
  }

  @Test("retriers are not called for a success")
  func success() {
    provider([ScriptedInterceptor("I", log, [.retry])]).request(.zen, completion: outcome.completion)
    transport.transfers[0].respond(304)
    #expect(outcome.summaries == ["305"])
    #expect(!log.all.contains { $0.contains("retry") })
  }

  @Test(
    "retriers are called for a response with a status of 400 or more", arguments: [(399, false), (400, true)])
  func lowestFailure(status: Int, isFailure: Bool) {
    provider([ScriptedInterceptor("I", log)]).request(.zen, completion: outcome.completion)
    transport.transfers[0].respond(status)
    #expect(log.all.contains("I retry 0 \(status)") == isFailure)
    #expect(outcome.count == 1)
  }

  @Test("the request fails with the retrier's error")
  func ownError() {
    provider([ScriptedInterceptor("I", log, [.doNotRetryWithError(Failure())])])
      .request(.zen, completion: outcome.completion)
    transport.transfers[0].respond(500)
    guard case .underlying(let error, nil)? = outcome.error else {
      Issue.record("\(outcome.summaries)")
      return
    }
    #expect(error is Failure)
    #expect(outcome.count == 1)
  }

  @Test("a delay passes on the provider's scheduler")
  func delay() {
    provider([ScriptedInterceptor("I", log, [.retryWithDelay(10)])])
      .request(.zen, completion: outcome.completion)
    transport.transfers[0].respond(503)
    time.advance(by: .milliseconds(9500))
    #expect(transport.transfers.count == 1)
    time.advance(by: .milliseconds(500))
    #expect(transport.transfers.count == 2)
    transport.transfers[1].respond()
    #expect(outcome.count == 1)
  }

  @Test("a cancel during the delay ends at once, without a second didReceive")
  func cancelInDelay() {
    let token = provider([ScriptedInterceptor("I", log, [.retryWithDelay(10)])])
      .request(.zen, completion: outcome.completion)
    transport.transfers[0].respond(503)
    #expect(time.pendingCount == 1)
    token.cancel()
    #expect(outcome.summaries == ["cancelled"])
    #expect(time.pendingCount == 0)
    #expect(log.all.suffix(3) == ["A didReceive 503", "I retry 0 503", "A process cancelled"])
    time.advance(by: .seconds(20))
    #expect(transport.transfers.count == 1)
  }

  /// Performs an action each time its date is read; scheduled actions never run.
  private final class ActingClock: DelayScheduler {
    let action = Lock<@Sendable () -> Void>({})

    var now: Date {
      let act = action.withLock { $0 }
      act()
      return Date(timeIntervalSinceReferenceDate: 0)
    }
    var uptime: Duration { .zero }

    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> any Cancellable {
      CancellableToken {}
    }
  }

  @Test("a cancel just before a retrier would be asked keeps it from being asked")
  func cancelBeforeRetrier() {
    let clock = ActingClock()
    let token = NetworkProvider<GitHub>(
      transport: transport, interceptors: [ScriptedInterceptor("I", log, [.retry])], scheduler: clock
    ).request(.zen, completion: outcome.completion)
    clock.action.withLock { $0 = { token.cancel() } }
    transport.transfers[0].respond(503)
    #expect(log.all == ["I adapt"])
    #expect(outcome.summaries == ["cancelled"])
    #expect(transport.transfers.count == 1)
    clock.action.withLock { $0 = {} }
  }

  @Test("a cancel in the second attempt reaches its transfer")
  func cancelAgain() {
    let token = provider([ScriptedInterceptor("I", log, [.retry])]).request(
      .zen, completion: outcome.completion)
    transport.transfers[0].respond(503)
    token.cancel()
    #expect(transport.transfers.map(\.cancelCount) == [0, 1])
    #expect(outcome.summaries == ["cancelled"])
    #expect(log.all.suffix(2) == ["A didReceive cancelled", "A process cancelled"])
  }

  @Test("late events of the first attempt's transfer do not count for the second attempt")
  func late() {
    provider([ScriptedInterceptor("I", log, [.retry])]).request(.zen, completion: outcome.completion)
    transport.transfers[0].respond(503)
    transport.transfers[0].respond(200)
    transport.transfers[0].releaseHandler()
    #expect(outcome.count == 0)
    transport.transfers[1].respond(204)
    #expect(outcome.summaries == ["205"])
  }

  @Test("a transport that responds inside `start` can be retried 5,000 times")
  func synchronous() {
    let transport = ScriptedTransport { $0.respond(500) }
    let retrier = Retrier { request, _, _, completion in
      completion(request.retryCount < 5_000 ? .retry : .doNotRetry)
    }
    NetworkProvider<GitHub>(transport: transport, interceptors: [retrier])
      .request(.zen, completion: outcome.completion)
    #expect(transport.transfers.count == 5_001)
    #expect(outcome.summaries == ["500"])
  }

  @Test("an adapter's failure ends the request before anything is sent")
  func adapterFails() {
    struct RejectingInterceptor: RequestInterceptor {
      func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
      ) { completion(.failure(Failure())) }
    }
    provider([RejectingInterceptor()]).request(.zen, completion: outcome.completion)
    guard case .underlying(_ as Failure, nil)? = outcome.error else {
      Issue.record("\(outcome.summaries)")
      return
    }
    #expect(log.all.map { $0.prefix(9) } == ["A process"])
    #expect(transport.transfers.isEmpty)
  }

  @Test("adapters and retriers that drop their completions end the request")
  func dropped() {
    struct UnresponsiveInterceptor: RequestInterceptor {
      var dropsAdapt = false
      func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
      ) { if !dropsAdapt { completion(.success(urlRequest)) } }
      func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
      ) {}
    }
    provider([UnresponsiveInterceptor(dropsAdapt: true)]).request(.zen, completion: outcome.completion)
    #expect(outcome.count == 1)
    provider([UnresponsiveInterceptor()]).request(.zen, completion: outcome.completion)
    transport.transfers.last?.respond(500)
    #expect(outcome.count == 2)
    #expect(outcome.summaries.last == "501")
  }

  @Test("a retrier sees the fields that the session adds")
  func sessionFields() {
    let transport = ScriptedTransport(defaultHeaders: ["Name": "value"]) { $0.respond(500) }
    let log = log
    let retrier = Retrier { request, _, _, completion in
      log(request.sessionHeaders["Name"] ?? "none")
      completion(.doNotRetry)
    }
    NetworkProvider<GitHub>(transport: transport, interceptors: [retrier])
      .request(.zen, completion: outcome.completion)
    #expect(log.all == ["value"])
    #expect(outcome.summaries == ["500"])
  }

  @Test("stubs are retried like transfers")
  func stubs() {
    let samples = Lock([500, 500, 200])
    NetworkProvider<GitHub>(
      endpointClosure: { _ in
        Endpoint(
          url: "http://h",
          sampleResponseClosure: { .networkResponse(samples.withLock { $0.removeFirst() }, Data()) },
          method: .get, task: .requestPlain, httpHeaderFields: nil)
      }, stubClosure: NetworkProvider.immediatelyStub, transport: transport,
      interceptors: [ScriptedInterceptor("I", log, [.retry, .retry])]
    ).request(.zen, completion: outcome.completion)
    #expect(outcome.summaries == ["200"])
    #expect(transport.transfers.isEmpty)
  }

  @Test("an interceptor of parts calls them in order")
  func composed() {
    let parts = Interceptor(
      adapters: [ScriptedInterceptor("I", log)], retriers: [ScriptedInterceptor("J", log)],
      interceptors: [ScriptedInterceptor("K", log, [.retry])])
    provider([parts]).request(.zen, completion: outcome.completion)
    #expect(transport.transfers[0].request.headers["Seen"] == "IKA")
    transport.transfers[0].respond(500)
    transport.transfers[1].respond()
    #expect(log.all.filter { $0.contains("retry") } == ["J retry 0 500", "K retry 0 500"])
  }

  @Test("async interceptors and plugins prepare in their order")
  func asynchronous() async {
    struct AsyncInterceptor: AsyncRequestInterceptor {
      func adapt(_ urlRequest: URLRequest, for session: Session) async throws -> URLRequest {
        await Task.yield()
        var request = urlRequest
        request.setValue("L", forHTTPHeaderField: "Seen")
        return request
      }
      func retry(_ request: Request, for session: Session, dueTo error: any Error) async -> RetryResult {
        request.retryCount < 1 ? .retry : .doNotRetry
      }
    }
    struct AsyncPlugin: AsyncPluginType {
      func prepare(_ request: URLRequest, for target: any TargetType) async throws -> URLRequest {
        await Task.yield()
        var request = request
        request.setValue((request.value(forHTTPHeaderField: "Seen") ?? "") + "P", forHTTPHeaderField: "Seen")
        return request
      }
    }
    let transport = ScriptedTransport { $0.respond(500) }
    let provider = NetworkProvider<GitHub>(
      transport: transport,
      plugins: [LoggingPlugin(name: "A", log: log), AsyncPlugin(), LoggingPlugin(name: "B", log: log)],
      interceptors: [AsyncInterceptor()])
    let result = await withCheckedContinuation { done in provider.request(.zen) { done.resume(returning: $0) }
    }
    #expect(result.summary == "502")
    #expect(transport.transfers.map { $0.request.headers["Seen"] } == ["LAPB", "LAPB"])
  }

  @Test("an async interceptor that only decides leaves the request unchanged")
  func onlyDecides() async {
    struct Decider: AsyncRequestInterceptor {
      func retry(_ request: Request, for session: Session, dueTo error: any Error) async -> RetryResult {
        request.retryCount < 1 ? .retry : .doNotRetry
      }
    }
    let transport = ScriptedTransport { $0.respond(500) }
    let provider = NetworkProvider<GitHub>(transport: transport, interceptors: [Decider()])
    _ = await withCheckedContinuation { done in provider.request(.zen) { done.resume(returning: $0) } }
    let plain = ScriptedTransport()
    NetworkProvider<GitHub>(transport: plain).request(.zen) { _ in }
    #expect(transport.transfers.map(\.request) == Array(repeating: plain.transfers[0].request, count: 2))
    plain.finish()
  }

  @Test("a cancel ends the task of an async interceptor that adapts or decides", arguments: [false, true])
  func cancelWhileIntercepting(adapts: Bool) async {
    struct WaitingInterceptor: AsyncRequestInterceptor {
      let adapts: Bool
      let begun: AsyncStream<Void>.Continuation
      let ended: AsyncStream<Void>.Continuation
      func adapt(_ urlRequest: URLRequest, for session: Session) async throws -> URLRequest {
        if adapts { await wait() }
        return urlRequest
      }
      func retry(_ request: Request, for session: Session, dueTo error: any Error) async -> RetryResult {
        await wait()
        return .retry
      }
      private func wait() async {
        begun.yield()
        while !Task.isCancelled { await Task.yield() }
        ended.yield()
      }
    }
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let transport = ScriptedTransport { $0.respond(500) }
    let waiting = WaitingInterceptor(adapts: adapts, begun: begin, ended: end)
    let provider = NetworkProvider<GitHub>(
      transport: transport, interceptors: [Interceptor(interceptors: [waiting])])
    let token = provider.request(.zen, completion: outcome.completion)
    for await _ in begun { break }
    token.cancel()
    #expect(outcome.summaries == ["cancelled"])
    for await _ in ended { break }
    #expect(transport.transfers.count == (adapts ? 0 : 1))
  }

  @Test("a cancel ends a request whose plugin is still preparing, cancels its task, and nothing is sent")
  func cancelWhilePreparing() async {
    struct WaitingPlugin: AsyncPluginType {
      let ended: AsyncStream<Bool>.Continuation
      func prepare(_ request: URLRequest, for target: any TargetType) async throws -> URLRequest {
        while !Task.isCancelled { await Task.yield() }
        ended.yield(Task.isCancelled)
        return request
      }
    }
    let (ended, continuation) = AsyncStream<Bool>.makeStream()
    let token = NetworkProvider<GitHub>(transport: transport, plugins: [WaitingPlugin(ended: continuation)])
      .request(.zen, completion: outcome.completion)
    token.cancel()
    #expect(outcome.summaries == ["cancelled"])
    for await wasCancelled in ended {
      #expect(wasCancelled)
      break
    }
    #expect(transport.transfers.isEmpty)
  }

  @Test("an error that is thrown by `prepare` ends the request")
  func throwingPlugin() async {
    struct ThrowingPlugin: AsyncPluginType {
      func prepare(_ request: URLRequest, for target: any TargetType) async throws -> URLRequest {
        throw Failure()
      }
    }
    let provider = NetworkProvider<GitHub>(transport: transport, plugins: [ThrowingPlugin()])
    let result = await withCheckedContinuation { done in provider.request(.zen) { done.resume(returning: $0) }
    }
    guard case .failure(.underlying(_ as Failure, nil)) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(transport.transfers.isEmpty)
  }
}
