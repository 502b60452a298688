import Foundation
import LoopbackServer
import NetworkCore
@testable import NetworkCoreTestSupport
import Testing

@Suite("RetryPolicy", .timeLimit(.minutes(5)))
struct RetryPolicyTests {
  private let transport = ScriptedTransport()
  private let outcome = CompletionRecorder()
  private let time = ManualDelayScheduler()

  private struct MethodTarget: TargetType {
    var method = HTTPMethod.get
    var baseURL: URL { URL(staticString: "http://h") }
    var path: String { "" }
  }

  private func request(_ policy: RetryPolicy, _ method: HTTPMethod = .get) {
    NetworkProvider<MethodTarget>(transport: transport, interceptors: [policy], scheduler: time)
      .request(MethodTarget(method: method), completion: outcome.completion)
  }

  @Test("the delays grow by the base, up to the limit")
  func backoff() {
    request(RetryPolicy(retryLimit: 3, jitter: 0))
    let delays: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2)]
    for (retry, delay) in delays.enumerated() {
      transport.transfers[retry].respond(503)
      time.advance(by: delay - .milliseconds(10))
      #expect(transport.transfers.count == retry + 1)
      time.advance(by: .milliseconds(10))
      #expect(transport.transfers.count == retry + 2)
    }
    transport.transfers[3].respond(503)
    #expect(outcome.summaries == ["503"])
  }

  @Test("jitter shortens a delay by at most its share, and not always by the same amount")
  func jitter() {
    var delays: Set<TimeInterval> = []
    for _ in 0..<50 {
      let transport = ScriptedTransport()
      let time = ManualDelayScheduler()
      NetworkProvider<MethodTarget>(
        transport: transport,
        interceptors: [RetryPolicy(exponentialBackoffScale: 8, jitter: 0.25)], scheduler: time
      ).request(MethodTarget()) { _ in }
      transport.transfers[0].respond(503)
      time.advance(by: .milliseconds(5990))
      #expect(transport.transfers.count == 1)
      for step in 1...21 where transport.transfers.count == 1 {
        time.advance(by: .milliseconds(100))
        if transport.transfers.count == 2 { delays.insert(TimeInterval(step)) }
      }
      #expect(transport.transfers.count == 2)
      transport.transfers[1].respond()
    }
    #expect(delays.count > 1)
  }

  @Test("Retry-After is followed, in seconds or as a date")
  func retryAfter() {
    request(RetryPolicy(retryLimit: 2, jitter: 0))
    transport.transfers[0].respond(429, headers: ["Retry-After": "7"])
    time.advance(by: .milliseconds(6900))
    #expect(transport.transfers.count == 1)
    time.advance(by: .milliseconds(100))
    #expect(transport.transfers.count == 2)
    transport.transfers[1].respond(
      503,
      headers: [
        "Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After": "Sun, 06 Nov 1994 08:50:07 GMT",
      ])
    time.advance(by: .milliseconds(29_900))
    #expect(transport.transfers.count == 2)
    time.advance(by: .milliseconds(100))
    #expect(transport.transfers.count == 3)
    transport.transfers[2].respond()
    #expect(outcome.summaries == ["200"])
  }

  @Test("a Retry-After that is a date, without a Date, is compared with the scheduler's clock")
  func retryAfterDate() {
    request(RetryPolicy(retryLimit: 1, jitter: 0))
    #expect(time.now == Date(timeIntervalSince1970: 0))
    transport.transfers[0].respond(503, headers: ["Retry-After": "Thu, 01 Jan 1970 00:00:30 GMT"])
    time.advance(by: .milliseconds(28_900))
    #expect(transport.transfers.count == 1)
    time.advance(by: .milliseconds(1100))
    #expect(transport.transfers.count == 2)
  }

  @Test("a Retry-After that is too long ends the retries, and an invalid one is ignored")
  func oddRetryAfter() {
    request(RetryPolicy(jitter: 0, longestRetryAfter: .seconds(10)))
    transport.transfers[0].respond(503, headers: ["Retry-After": "soon"])
    time.advance(by: .milliseconds(500))
    #expect(transport.transfers.count == 2)
    transport.transfers[1].respond(503, headers: ["Retry-After": "99999999999999999999999999"])
    #expect(outcome.summaries == ["503"])
  }

  @Test(
    "methods that are not idempotent are not retried by default",
    arguments: [
      (HTTPMethod.get, true), (.put, true), (.delete, true), (.head, true), (.options, true), (.trace, true),
      (.query, true), (.post, false), (.patch, false), (.connect, false),
    ])
  func methods(method: HTTPMethod, isRetried: Bool) {
    request(RetryPolicy(), method)
    transport.transfers[0].respond(503)
    #expect(outcome.count == (isRetried ? 0 : 1))
    transport.finish()
    time.advance(by: .seconds(10))
    transport.finish()
  }

  @Test("POST is retried if it is named")
  func post() {
    request(RetryPolicy(retryableHTTPMethods: [.post]), .post)
    transport.transfers[0].respond(503)
    time.advance(by: .seconds(1))
    #expect(transport.transfers.count == 2)
    transport.transfers[1].respond()
  }

  private let unsent = TransferError.cannotConnect(url: "http://h", reason: "refused", isUnsent: true)

  @Test("a POST is retried as long as each error proves that it was not sent")
  func unsentPost() {
    request(RetryPolicy(retryLimit: 5), .post)
    for attempt in 0..<2 {
      transport.transfers[attempt].send(.finished(unsent))
      time.advance(by: .seconds(10))
      #expect(transport.transfers.count == attempt + 2)
    }
    transport.transfers[2].send(.finished(.connectionLost(reason: "reset")))
    time.advance(by: .seconds(10))
    #expect(transport.transfers.count == 3)
    #expect(outcome.error?.transferError == .connectionLost(reason: "reset"))
  }

  @Test("a POST is not retried because its last attempt was not sent")
  func laterUnsentPost() {
    struct Again: RequestInterceptor {
      func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
      ) {
        completion(request.receivedResponse?.statusCode == 401 ? .retry : .doNotRetry)
      }
    }
    NetworkProvider<MethodTarget>(
      transport: transport, interceptors: [Again(), RetryPolicy()], scheduler: time
    ).request(MethodTarget(method: .post), completion: outcome.completion)
    transport.transfers[0].respond(401)
    transport.transfers[1].send(.finished(unsent))
    time.advance(by: .seconds(10))
    #expect(transport.transfers.count == 2)
    // Whoever sees the error cannot mistake it for a proof about the whole request.
    #expect(outcome.error?.transferError == .cannotConnect(url: "http://h", reason: "refused"))
  }

  @Test(
    "only transient failures are retried",
    arguments: [
      (.timedOut(after: .seconds(1)), true), (.connectionLost(reason: ""), true),
      (.cannotConnect(url: "", reason: ""), true), (.cannotFindHost("h"), true),
      (.truncatedBody(reason: ""), true), (.secureConnectionFailed(reason: ""), true),
      (.badServerResponse(reason: ""), true), (.responseTooLarge(limit: 1), false),
      (.unsupportedURL(""), false), (.invalidField(name: "a", value: "b"), false),
      (.tooManyRedirects(limit: 1), false), (.cancelled, false),
    ] as [(TransferError, Bool)])
  func errors(error: TransferError, isRetried: Bool) {
    request(RetryPolicy())
    transport.transfers[0].send(.finished(error))
    time.advance(by: .seconds(1))
    #expect(transport.transfers.count == (isRetried ? 2 : 1))
    transport.transfers.last?.respond()
  }

  @Test("a transfer that breaks off is retried whatever its status", arguments: [200, 404])
  func lostBody(status: Int) {
    request(RetryPolicy())
    transport.transfers[0].send(
      .head(ResponseHead(statusCode: status, url: "http://h", headers: [:])), .body(Data("a".utf8)),
      .finished(.connectionLost(reason: "")))
    time.advance(by: .seconds(1))
    #expect(transport.transfers.count == 2)
    transport.transfers.last?.respond()
    #expect(outcome.summaries == ["200"])
  }

  @Test("statuses that will not change are not retried", arguments: [400, 401, 404, 501])
  func statuses(status: Int) {
    request(RetryPolicy())
    transport.transfers[0].respond(status)
    #expect(outcome.summaries == ["\(status)"])
  }

  @Test("statuses that may change are retried", arguments: [408, 429, 500, 502, 503, 504])
  func passingStatuses(status: Int) {
    request(RetryPolicy())
    transport.transfers[0].respond(status)
    time.advance(by: .seconds(1))
    #expect(transport.transfers.count == 2)
    transport.transfers.last?.respond()
    #expect(outcome.summaries == ["200"])
  }

  /// A policy that retries after a 404 only.
  private final class NotFoundPolicy: RetryPolicy, @unchecked Sendable {
    override func shouldRetry(request: Request, dueTo error: any Error) -> Bool {
      request.receivedResponse?.statusCode == 404
    }
  }

  @Test("a subclass decides which failures are retried", arguments: [(404, 2), (503, 1)])
  func subclass(status: Int, attempts: Int) {
    request(NotFoundPolicy(retryLimit: 1, exponentialBackoffScale: 0))
    transport.transfers[0].respond(status)
    time.advance(by: .zero)
    #expect(transport.transfers.count == attempts)
    #expect(outcome.summaries == (attempts == 1 ? ["503"] : []))
    transport.finish()
  }

  @Test("a delay is never longer than a day")
  func longestDelay() {
    request(RetryPolicy(exponentialBackoffScale: 1e9, jitter: 0))
    transport.transfers[0].respond(503)
    time.advance(by: .seconds(86_399))
    #expect(transport.transfers.count == 1)
    time.advance(by: .seconds(1))
    #expect(transport.transfers.count == 2)
    transport.transfers.last?.respond()
  }

  @Test("a scale of 0 means no delay, even if the power is infinite")
  func noDelay() {
    request(RetryPolicy(retryLimit: 1_030, exponentialBackoffScale: 0))
    for retry in 0..<1_030 {
      transport.transfers[retry].respond(503)
      time.advance(by: .zero)
    }
    #expect(transport.transfers.count == 1_031)
    transport.transfers.last?.respond()
    #expect(outcome.summaries == ["200"])
  }

  @Test("jitter is a share from 0 to 1, by default one half")
  func jitterBounds() {
    #expect(RetryPolicy().jitter == 0.5)
    #expect(RetryPolicy(jitter: 7).jitter == 1)
    #expect(RetryPolicy(jitter: -1).jitter == 0)
  }

  @Test("a Retry-After of exactly the longest time is followed")
  func longestRetryAfter() {
    request(RetryPolicy(jitter: 0, longestRetryAfter: .seconds(10)))
    transport.transfers[0].respond(503, headers: ["Retry-After": "10"])
    time.advance(by: .seconds(10))
    #expect(transport.transfers.count == 2)
    transport.transfers.last?.respond()
    #expect(outcome.summaries == ["200"])
  }

  @Test("a longest Retry-After that is negative counts as 0, and retries are made without one")
  func noRetryAfter() {
    request(RetryPolicy(jitter: 0, longestRetryAfter: .seconds(-1)))
    transport.transfers[0].respond(503)
    time.advance(by: .milliseconds(500))
    #expect(transport.transfers.count == 2)
    transport.transfers.last?.respond(503, headers: ["Retry-After": "1"])
    #expect(outcome.summaries == ["503"])
  }

  @Test("by default, two retries are made and a Retry-After of a minute is followed")
  func defaults() {
    request(RetryPolicy(jitter: 0))
    transport.transfers[0].respond(503, headers: ["Retry-After": "60"])
    time.advance(by: .seconds(60))
    #expect(transport.transfers.count == 2)
    transport.transfers[1].respond(503)
    time.advance(by: .seconds(1))
    #expect(transport.transfers.count == 3)
    transport.transfers[2].respond(503)
    #expect(outcome.summaries == ["503"])
    request(RetryPolicy(jitter: 0))
    transport.transfers[3].respond(503, headers: ["Retry-After": "61"])
    #expect(outcome.summaries == ["503", "503"])
  }

  @Test("jitter lengthens the wait that the server requires by at most its share, and never shortens it")
  func exactRetryAfter() {
    var steps: Set<Int> = []
    for _ in 0..<50 {
      let (transport, time) = (ScriptedTransport(), ManualDelayScheduler())
      NetworkProvider<MethodTarget>(
        transport: transport, interceptors: [RetryPolicy(jitter: 0.5)], scheduler: time
      ).request(MethodTarget()) { _ in }
      transport.transfers[0].respond(429, headers: ["Retry-After": "8"])
      time.advance(by: .microseconds(7_937_500))
      #expect(transport.transfers.count == 1)
      for step in 1...65 where transport.transfers.count == 1 {
        time.advance(by: .microseconds(62_500))
        if transport.transfers.count == 2 { steps.insert(step) }
      }
      #expect(transport.transfers.count == 2)
      transport.transfers.last?.respond()
    }
    #expect(steps.count > 1)
  }

  @Test("a short Retry-After does not undercut the back-off", arguments: ["0", "3"])
  func shortRetryAfter(wish: String) {
    request(RetryPolicy(exponentialBackoffScale: 4, jitter: 0))
    transport.transfers[0].respond(503, headers: ["Retry-After": wish])
    time.advance(by: .milliseconds(3900))
    #expect(transport.transfers.count == 1)
    time.advance(by: .milliseconds(100))
    #expect(transport.transfers.count == 2)
    transport.transfers.last?.respond()
  }

  @Test("a wait that would pass the deadline is not begun, and the last error is delivered")
  func deadline() {
    // Attempts of 1 s begin at 0, 3 and 8 s; the next one would begin at 17 s.
    let cases: [(Duration?, Int)] = [
      (.milliseconds(2900), 1), (.seconds(3), 2), (.milliseconds(7900), 2), (.seconds(8), 3),
      (.milliseconds(16_900), 3), (nil, 4),
    ]
    for (deadline, attempts) in cases {
      let (transport, time, outcome) = (ScriptedTransport(), ManualDelayScheduler(), CompletionRecorder())
      let policy = RetryPolicy(retryLimit: 3, exponentialBackoffScale: 2, jitter: 0, deadline: deadline)
      NetworkProvider<MethodTarget>(transport: transport, interceptors: [policy], scheduler: time)
        .request(MethodTarget(), completion: outcome.completion)
      for status in [503, 502, 504, 500].prefix(attempts) {
        time.advance(by: .seconds(1))
        transport.transfers.last?.respond(status)
        time.advance(by: .seconds(1 << transport.transfers.count))
      }
      #expect(transport.transfers.count == attempts)
      #expect(outcome.summaries == [["503"], ["502"], ["504"], ["500"]][attempts - 1])
      #expect(time.pendingCount == 0)
    }
  }

  @Test("a wait that ends exactly at the deadline is begun, although its seconds are rounded")
  func roundedDeadline() {
    request(RetryPolicy(exponentialBackoffScale: 0.2, jitter: 0, deadline: .milliseconds(300)))
    time.advance(by: .milliseconds(100))
    transport.transfers[0].respond(503)
    time.advance(by: .milliseconds(200))
    #expect(transport.transfers.count == 2)
    transport.transfers.last?.respond()
  }

  @Test(
    "the NSError of a stub is retried like the URLError with its code",
    arguments: [(NSURLErrorNotConnectedToInternet, 2), (NSURLErrorBadURL, 1)])
  func stubbedError(code: Int, attempts: Int) {
    let log = Log()
    NetworkProvider<MethodTarget>(
      endpointClosure: { _ in
        Endpoint(
          url: "http://h",
          sampleResponseClosure: {
            log("attempt")
            return .networkError(NSError(domain: NSURLErrorDomain, code: code))
          }, method: .get, task: .requestPlain, httpHeaderFields: nil)
      }, stubClosure: NetworkProvider.immediatelyStub,
      interceptors: [RetryPolicy(retryLimit: 1, jitter: 0)], scheduler: time
    ).request(MethodTarget(), completion: outcome.completion)
    time.advance(by: .seconds(1))
    #expect(log.all.count == attempts)
    #expect(outcome.count == 1)
  }

  @Test("a request to a server that recovers is retried", arguments: TransportKind.allCases)
  func wire(kind: TransportKind) async throws {
    let server = try LoopbackServer()
    server.route("GET", "/") { [log = server] _ in
      log.log.requestCount < 3 ? .text("busy", status: 503) : .text("ok")
    }
    let provider = NetworkProvider<LoopbackTarget>(
      transport: try kind.make(), interceptors: [RetryPolicy(exponentialBackoffScale: 0.001)])
    let response = try await provider.result(LoopbackTarget(server)).get()
    #expect(response.data == Data("ok".utf8))
    #expect(server.log.requestCount == 3)
  }

  @Test("each delay is the previous one times the base")
  func base() {
    request(RetryPolicy(retryLimit: 3, exponentialBackoffBase: 3, exponentialBackoffScale: 1, jitter: 0))
    let delays: [Duration] = [.seconds(1), .seconds(3), .seconds(9)]
    for (retry, delay) in delays.enumerated() {
      transport.transfers[retry].respond(503)
      time.advance(by: delay - .milliseconds(10))
      #expect(transport.transfers.count == retry + 1)
      time.advance(by: .milliseconds(10))
      #expect(transport.transfers.count == retry + 2)
    }
    transport.transfers.last?.respond()
  }

  @Test("the initializer of a policy keeps its arguments")
  func arguments() {
    let policy = RetryPolicy(
      retryLimit: 7, exponentialBackoffBase: 3, exponentialBackoffScale: 9, retryableHTTPMethods: [.post],
      retryableHTTPStatusCodes: [418], retryableURLErrorCodes: [.badURL], longestRetryAfter: .seconds(5),
      deadline: .seconds(8))
    #expect(policy.retryLimit == 7)
    #expect(policy.exponentialBackoffBase == 3)
    #expect(policy.exponentialBackoffScale == 9)
    #expect(policy.retryableHTTPMethods == [.post])
    #expect(policy.retryableHTTPStatusCodes == [418])
    #expect(policy.retryableURLErrorCodes == [.badURL])
    #expect(policy.longestRetryAfter == .seconds(5))
    #expect(policy.deadline == .seconds(8))
  }
}
