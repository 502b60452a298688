import Foundation
import LoopbackServer
import MoyaCompatibility
import ReactiveNetworkLock
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("retry(_:) with a RetryPolicy", .timeLimit(.minutes(5)))
struct RetryPolicyOperatorTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func refusal(
    _ status: Int, _ method: HTTPMethod? = .get, _ fields: [String: String] = [:]
  ) throws -> NetworkError {
    let url = try #require(URL(string: "http://h/"))
    var request = URLRequest(url: url)
    request.httpMethod = method?.rawValue
    let head = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
    return .statusCode(
      Response(statusCode: status, data: Data(), request: method == nil ? nil : request, response: head))
  }

  /// Returns when a source that fails after 10 s is subscribed to.
  private func subscriptions(_ error: any Error, _ policy: RetryPolicy) -> [Int] {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(10, error)])
    let result = scheduler.start(disposed: 2_000) { source.retry(policy, scheduler: scheduler) }
    #expect(result.events.last?.value.isStopEvent == true)
    return source.subscriptions.map(\.subscribe)
  }

  private func policy(_ retryLimit: UInt = 2) -> RetryPolicy {
    RetryPolicy(retryLimit: retryLimit, exponentialBackoffScale: 20, jitter: 0)
  }

  @Test("retries up to the policy's limit, after its growing waits")
  func waits() throws {
    #expect(subscriptions(try refusal(503), policy(3)) == [200, 230, 280, 370])
    #expect(subscriptions(try refusal(503), policy(0)).count == 1)
  }

  @Test("the largest limit is no limit")
  func largestLimit() throws {
    let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(10, try refusal(503))])
    let policy = RetryPolicy(retryLimit: .max, exponentialBackoffScale: 0)
    let result = scheduler.start(disposed: 1_000) { source.retry(policy, scheduler: scheduler) }
    #expect(source.subscriptions.count > 60)
    #expect(result.events.isEmpty)
  }

  @Test("retries the policy's status codes and errors, not those of others", arguments: [true, false])
  func reasons(isDefault: Bool) throws {
    let teapot =
      isDefault
      ? policy()
      : RetryPolicy(
        exponentialBackoffScale: 1, retryableHTTPStatusCodes: [418], retryableURLErrorCodes: [.cancelled])
    let count = { (error: any Error) in subscriptions(error, teapot).count }
    #expect(count(try refusal(418)) == (isDefault ? 1 : 3))
    #expect(count(try refusal(503)) == (isDefault ? 3 : 1))
  }

  @Test(
    "retries the policy's errors of transfers",
    arguments: [([], 1), ([.networkConnectionLost], 3)] as [(Set<URLError.Code>, Int)])
  func transferErrors(codes: Set<URLError.Code>, count: Int) async throws {
    let server = try LoopbackServer { _ in .close }
    let single = NetworkProvider<LoopbackTarget>().rx.request(LoopbackTarget(server, "/"))
      .retry(RetryPolicy(exponentialBackoffScale: 0, retryableURLErrorCodes: codes))
    #expect(await single.result().networkError != nil)
    #expect(server.log.requestCount == count)
  }

  @Test(
    "repeats only requests with the policy's methods, and none that is unknown",
    arguments: [(HTTPMethod.get, 3), (.post, 1), (nil, 1)] as [(HTTPMethod?, Int)])
  func methods(method: HTTPMethod?, count: Int) throws {
    #expect(subscriptions(try refusal(503, method), policy()).count == count)
    let posting = RetryPolicy(exponentialBackoffScale: 1, retryableHTTPMethods: [.post])
    #expect(subscriptions(try refusal(503, method), posting).count == (method == .post ? 3 : 1))
  }

  @Test("the deadline, the budget and the longest Retry-After of the policy count")
  func bounds() throws {
    let error = try refusal(503)
    let deadline = RetryPolicy(retryLimit: 9, exponentialBackoffScale: 20, jitter: 0, deadline: .seconds(100))
    #expect(subscriptions(error, deadline) == [200, 230, 280])
    let budget = RetryBudget(
      ratio: 1, minimumPerSecond: 0, window: .seconds(3_600), scheduler: scheduler.asDelayScheduler())
    let bounded = RetryPolicy(retryLimit: 9, exponentialBackoffScale: 20, jitter: 0, budget: budget)
    #expect(subscriptions(error, bounded).count == 2)
    let late = try refusal(503, .get, ["Retry-After": "30"])
    #expect(subscriptions(late, policy()).prefix(2).last == 240)
    let impatient = RetryPolicy(exponentialBackoffScale: 20, jitter: 0, longestRetryAfter: .seconds(29))
    #expect(subscriptions(late, impatient).count == 1)
  }

  @Test("an element ends a row of failures if that is asked for", arguments: [false, true])
  func reset(resetsOnSuccess: Bool) throws {
    let source = scheduler.createColdObservable([.next(5, 1), .error(10, try refusal(503))])
    let policy = policy()
    _ = scheduler.start(disposed: 500) {
      source.retry(policy, resetOnSuccess: resetsOnSuccess, scheduler: scheduler)
    }
    let times = source.subscriptions.map(\.subscribe)
    #expect(times.starts(with: resetsOnSuccess ? [200, 230, 260, 290, 320] : [200, 230, 280]))
    #expect(resetsOnSuccess || times.count == 3)
  }

  @Test("a single without a filter retries a 503, and ends with the last response")
  func single() async throws {
    let server = try LoopbackServer { _ in .status(503) }
    let response = try await NetworkProvider<LoopbackTarget>().rx.request(LoopbackTarget(server, "/"))
      .retry(RetryPolicy(retryLimit: 3, exponentialBackoffScale: 0)).value
    #expect(response.statusCode == 503)
    #expect(server.log.requestCount == 4)
  }

  @Test("one policy serves a provider and a pipeline, and one budget bounds both")
  func shared() async throws {
    let server = try LoopbackServer { _ in .status(503) }
    let budget = RetryBudget(ratio: 1, minimumPerSecond: 0, window: .seconds(3_600))
    let policy = RetryPolicy(retryLimit: 9, exponentialBackoffScale: 0, budget: budget)
    let first = NetworkProvider<LoopbackTarget>(interceptors: [policy]).rx.request(
      LoopbackTarget(server, "/a"))
    _ = try await first.value
    #expect(server.log.requestCount == 2)
    let second = NetworkProvider<LoopbackTarget>().rx.request(LoopbackTarget(server, "/b")).retry(policy)
    _ = try await second.value
    #expect(server.log.requestCount == 4)
  }

  @Test(
    "a WebSocket that its server closes for a restart is opened again", arguments: [(1012, 3), (1008, 1)])
  func webSocket(code: UInt16, connections: Int) throws {
    let opened = Lock(0)
    let server = try LoopbackServer { _ in
      let number = opened.withLock { count in
        count += 1
        return count
      }
      return .webSocket { socket in
        socket.send(.text("\(number)"))
        socket.close(code: number < 3 ? code : 1000)
      }
    }
    let messages = NetworkProvider<LoopbackTarget>().rx.webSocket(LoopbackTarget(server, "/"))
      .retry(RetryPolicy(retryLimit: 1, exponentialBackoffScale: 0), resetOnSuccess: true)
    let texts = (try? messages.toBlocking().toArray())?.compactMap(\.text)
    #expect(texts == (connections == 1 ? nil : ["1", "2", "3"]))
    #expect(opened.withLock { $0 } == connections)
  }

  @Test("RxSwift's, RxSwiftExt's and Alamofire's names choose their own rules")
  func names() throws {
    let error = try refusal(503)
    let rules: [(Observable<Int>, Int) -> Observable<Int>] = [
      { source, _ in source.retry(3) },
      { source, count in source.retry(.immediate(maxCount: UInt(count))) },
      { [scheduler] source, _ in source.retry(.retryPolicy, scheduler: scheduler) },
      { [scheduler] source, _ in source.retry(.retryPolicy(retryLimit: 3), scheduler: scheduler) },
      { [scheduler] source, _ in source.retry(ConnectionLostRetryPolicy(), scheduler: scheduler) },
    ]
    let counts = rules.map { rule in
      let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(1, error)])
      let subscription = rule(source.asObservable(), 2).subscribe()
      scheduler.advanceTo(scheduler.clock + 100)
      subscription.dispose()
      return source.subscriptions.count
    }
    #expect(counts == [3, 2, 3, 4, 1])
  }

  @Test("a POST that provably was not sent is sent again, as often as the policy allows")
  func unsentPost() throws {
    struct Post: TargetType {
      var baseURL = URL(string: "http://h") ?? URL(filePath: "/")
      var path: String { "/" }
      var method: HTTPMethod { .post }
    }
    let transport = UnreachableTransport()
    let single = NetworkProvider<Post>(transport: transport).rx.request(Post())
      .retry(RetryPolicy(retryLimit: 3, exponentialBackoffScale: 0))
    #expect(throws: NetworkError.self) { try single.toBlocking().single() }
    #expect(transport.starts.withLock { $0 } == 4)
  }
}

/// Ends each request with an error which proves that it was not sent.
private final class UnreachableTransport: Transport {
  let starts = Lock(0)

  func start(
    _ request: TransportRequest, handler: @escaping @Sendable (TransferEvent) -> Void
  ) -> any Cancellable {
    starts.withLock { $0 += 1 }
    handler(.finished(.cannotConnect(url: request.url, reason: "refused", isUnsent: true)))
    return CancellableToken {}
  }
}
