import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The connections of server-sent events", .timeLimit(.minutes(5)))
struct EventConnectionTests {
  private let scheduler = TestScheduler(initialClock: 0)
  private let noContent = Response(statusCode: 204, data: Data())

  private func events(
    _ provider: ScriptedProvider, reconnectionTime: RxTimeInterval = .seconds(5)
  ) -> TestableObserver<ServerSentEvent> {
    recorded(provider.rx.events(.init(), reconnectionTime: reconnectionTime, jitter: 0, scheduler: scheduler))
  }

  private func recorded(_ events: Observable<ServerSentEvent>) -> TestableObserver<ServerSentEvent> {
    let observer = scheduler.createObserver(ServerSentEvent.self)
    let subscription = events.subscribe(observer)
    scheduler.start()
    subscription.dispose()
    return observer
  }

  @Test(
    "a transient connection failure is followed by a reconnection, even if it comes before the call returns",
    arguments: [
      .timedOut(after: .seconds(1)), .cannotFindHost("h"), .cannotConnect(url: "http://h", reason: ""),
      .connectionLost(reason: ""), .truncatedBody(reason: ""), .circuitOpen(timeUntilProbe: .seconds(9)),
      .queueFull(maxWaiting: 0), .waitedTooLong(.seconds(1)),
    ] as [TransferError])
  func passing(error: TransferError) {
    let provider = ScriptedProvider([[.finished(.underlying(error, nil))], [.response(noContent)]])
    let events = events(provider)
    #expect(provider.labels.count == 2)
    #expect(events.events == [.completed(5)])
  }

  @Test(
    "an error of Foundation counts like the error of a transport with its code",
    arguments: [
      (.timedOut, true), (.cannotFindHost, true), (.dnsLookupFailed, true), (.cannotConnectToHost, true),
      (.networkConnectionLost, true), (.notConnectedToInternet, true), (.secureConnectionFailed, false),
      (.cancelled, false), (.badURL, false),
    ] as [(URLError.Code, Bool)], [false, true])
  func foundationErrors(rule: (code: URLError.Code, reconnects: Bool), isBridged: Bool) {
    let bridged = NSError(domain: NSURLErrorDomain, code: rule.code.rawValue)
    let error: any Error = if isBridged { bridged } else { URLError(rule.code) }
    let provider = ScriptedProvider([[.finished(.underlying(error, nil))], [.response(noContent)]])
    let end = events(provider).events.first
    #expect(provider.labels.count == (rule.reconnects ? 2 : 1))
    #expect(end?.time == (rule.reconnects ? 5 : 0))
    #expect(end?.value.isCompleted == rule.reconnects)
  }

  @Test("a TLS handshake that fails after an earlier connection is followed by a reconnection")
  func lostHandshake() throws {
    let failure = NetworkError.underlying(TransferError.secureConnectionFailed(reason: ""), nil)
    let provider = ScriptedProvider([
      try connection(""), [.finished(failure)], [.response(noContent)],
    ])
    #expect(events(provider).events == [.completed(10)])
    #expect(provider.labels.count == 3)
  }

  @Test(
    "a permanent connection failure ends the sequence",
    arguments: [
      .secureConnectionFailed(reason: ""), .tooManyRedirects(limit: 1), .unsupportedURL("x"),
      .responseTooLarge(limit: 1),
    ] as [TransferError])
  func lasting(error: TransferError) {
    let provider = ScriptedProvider([[.finished(.underlying(error, nil))]])
    let end = events(provider).events.first
    #expect(end?.time == 0)
    #expect((end?.value.error as? NetworkError)?.transferError == error)
    #expect(provider.labels.count == 1)
  }

  @Test("a POST is sent once, unless its method is listed as retryable", arguments: [false, true])
  func post(mayRepeat: Bool) throws {
    let lost = NetworkError.underlying(TransferError.connectionLost(reason: ""), nil)
    for end in [nil, lost] {
      let provider = ScriptedProvider([
        try connection("data: a\n\n").dropLast() + [.finished(end)], [.response(noContent)],
      ])
      let scheduler = TestScheduler(initialClock: 0)
      let observer = scheduler.start {
        provider.rx.events(
          .init(method: .post), reconnectionTime: .seconds(5), jitter: 0,
          retryableHTTPMethods: mayRepeat ? [.post] : [.get],
          scheduler: scheduler)
      }
      let last = observer.events.last?.value
      #expect(provider.labels.count == (mayRepeat ? 2 : 1))
      #expect(observer.events.first?.value.element == .init(data: "a"))
      #expect(last?.isCompleted == (mayRepeat || end == nil))
      #expect((last?.error as? NetworkError)?.transferError == (mayRepeat ? nil : end?.transferError))
    }
    let usual = ScriptedProvider([try connection(""), [.response(noContent)]])
    _ = usual.rx.events(.init(method: .post)).toBlocking().materialize()
    #expect(usual.labels.count == 1)
  }

  @Test("a target whose endpoint is a POST is sent once")
  func postOfEndpoint() throws {
    let server = try LoopbackServer { _ in .bytes(Data("data: a\n\n".utf8), type: "text/event-stream") }
    let provider = NetworkProvider<LoopbackTarget>(
      endpointClosure: { target in
        Endpoint(
          url: target.baseURL.absoluteString, sampleResponseClosure: { .networkResponse(200, Data()) },
          method: .post, task: .requestPlain, httpHeaderFields: nil)
      })
    let events = try provider.rx.events(LoopbackTarget(server, ""), reconnectionTime: .milliseconds(100))
      .take(2).toBlocking().toArray()
    #expect(events.map(\.data) == ["a"])
    #expect(server.log.requests.map(\.method) == ["POST"])
  }

  @Test("a request whose body can be read only once is sent once")
  func bodyReadOnce() throws {
    let body = BodyStream(isRepeatable: false) { _ in throw TransferError.cancelled }
    let provider = ScriptedProvider([try connection("data: a\n\n"), [.response(noContent)]])
    let events = recorded(
      provider.rx.events(.init(method: .query, task: .uploadStream(body)), scheduler: scheduler))
    #expect(events.events == [.next(0, .init(data: "a")), .completed(0)])
    #expect(provider.labels.count == 1)
  }

  @Test("a 204 completes the sequence even if the target's validation rejects it")
  func refusedNoContent() {
    let provider = ScriptedProvider([[.finished(.statusCode(noContent))]])
    #expect(events(provider).events == [.completed(0)])
  }

  /// Returns the events of a connection that ends after some text.
  private func connection(_ text: String) throws -> [ResponseStreamEvent] {
    let url = try #require(URL(string: "http://localhost/"))
    let head = try #require(
      HTTPURLResponse(
        url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": "text/event-stream"]))
    return [
      .response(Response(statusCode: 200, data: Data(), response: head)), .chunk(Data(text.utf8)),
      .finished(nil),
    ]
  }

  @Test("a reconnection waits for its time and a random part of it, and never longer than the longest wait")
  func jitter() {
    let lost: [ResponseStreamEvent] = [.finished(.underlying(TransferError.connectionLost(reason: ""), nil))]
    func waits(longest: RxTimeInterval) -> [Int] {
      (0..<20).map { _ in
        let scheduler = TestScheduler(initialClock: 0)
        let provider = ScriptedProvider([lost, [.response(noContent)]])
        let observer = scheduler.start(created: 0, subscribed: 0, disposed: 1_000) {
          provider.rx.events(
            .init(), reconnectionTime: .seconds(100), longestReconnectionTime: longest, scheduler: scheduler)
        }
        return observer.events.last?.time ?? 0
      }
    }
    let usual = waits(longest: .seconds(600))
    #expect(usual.allSatisfy { (100...152).contains($0) })
    #expect(Set(usual).count > 1)
    let bounded = waits(longest: .seconds(90))
    #expect(bounded.allSatisfy { (60...91).contains($0) })
    #expect(Set(bounded).count > 1)
  }

  @Test(
    "a jitter below 0 counts as 0, and one above 1 as 1", arguments: [(-3.0, 100...102), (100.0, 100...202)])
  func jitterLimits(jitter: Double, times: ClosedRange<Int>) {
    let lost: [ResponseStreamEvent] = [.finished(.underlying(TransferError.connectionLost(reason: ""), nil))]
    for _ in 0..<20 {
      let scheduler = TestScheduler(initialClock: 0)
      let provider = ScriptedProvider([lost, [.response(noContent)]])
      let observer = scheduler.start(created: 0, subscribed: 0, disposed: 1_000) {
        provider.rx.events(
          .init(), reconnectionTime: .seconds(100), jitter: jitter, scheduler: scheduler)
      }
      #expect(times.contains(observer.events.last?.time ?? 0))
    }
  }

  @Test("a reconnection waits for three seconds by default")
  func usualTime() {
    let lost: [ResponseStreamEvent] = [.finished(.underlying(TransferError.connectionLost(reason: ""), nil))]
    let provider = ScriptedProvider([lost, [.response(noContent)]])
    #expect(recorded(provider.rx.events(.init(), jitter: 0, scheduler: scheduler)).events == [.completed(3)])
  }

  @Test("a line of an event may have a mebibyte by default, and not one byte more")
  func usualLimit() throws {
    let data = String(repeating: "a", count: (1 << 20) - "data:".count)
    let whole = ScriptedProvider([try connection("data:\(data)\n\n"), [.response(noContent)]])
    #expect(
      recorded(whole.rx.events(.init(), jitter: 0, scheduler: scheduler)).events
        == [.next(0, .init(data: data)), .completed(3)])
    let tooLong = ScriptedProvider([try connection("data:\(data)a\n\n")])
    let end = recorded(tooLong.rx.events(.init(), scheduler: scheduler)).events.first?.value.error
    guard case .underlying(let reason, _)? = end as? NetworkError else {
      Issue.record("\(String(describing: end))")
      return
    }
    #expect(reason as? StreamError == .lineTooLong(limit: 1 << 20))
  }

  @Test("events that a provider sends after the disposal are not delivered and cause no reconnection")
  func afterDisposal() throws {
    let uses = Lock([String]())
    let unused = UnimplementedScheduler { use in uses.withLock { $0.append(use) } }
    let provider = ScriptedProvider()
    let observer = scheduler.createObserver(ServerSentEvent.self)
    let subscription = provider.rx.events(.init(), scheduler: unused).subscribe(observer)
    let events = try connection("data: a\n\n")
    subscription.dispose()
    for event in events { provider.send(event) }
    #expect(observer.events.isEmpty)
    #expect(uses.withLock { $0 }.isEmpty)
    #expect(provider.labels.count == 1)
  }

  @Test("a very long reconnection time is limited to ten minutes by default", arguments: [0, 0.5])
  func longestTime(jitter: Double) throws {
    let provider = ScriptedProvider([try connection("retry: \(Int.max)\n\n"), [.response(noContent)]])
    let events = recorded(provider.rx.events(.init(), jitter: jitter, scheduler: scheduler)).events
    #expect(events.map(\.value.isCompleted) == [true])
    // The jitter ends at the limit; 1 for the rounding of virtual time.
    #expect(events.allSatisfy { (Int(600 / (1 + jitter))...601).contains($0.time) })
  }

  @Test(
    "a reconnection waits for at least 100 milliseconds, even if the caller or the server asks for less",
    arguments: ["retry: 0\n", "retry: 99\n", ""])
  func shortestTime(field: String) throws {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
    let lost: [ResponseStreamEvent] = [.finished(.underlying(TransferError.connectionLost(reason: ""), nil))]
    let provider = ScriptedProvider(
      [try connection(field + "data: a\n\n"), lost, try connection("data: b\n\n"), [.response(noContent)]])
    let observer = scheduler.createObserver(ServerSentEvent.self)
    let subscription = provider.rx.events(
      .init(), reconnectionTime: .seconds(0), jitter: 0, scheduler: scheduler
    ).subscribe(observer)
    scheduler.start()
    subscription.dispose()
    #expect(observer.events == [.next(0, .init(data: "a")), .next(200, .init(data: "b")), .completed(300)])
  }

  @Test("a reconnection waits for at least 100 milliseconds, even if the longest wait is shorter")
  func shortestBound() throws {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
    let provider = ScriptedProvider([try connection("data: a\n\n"), [.response(noContent)]])
    let observer = scheduler.createObserver(ServerSentEvent.self)
    let subscription = provider.rx.events(
      .init(), jitter: 0, longestReconnectionTime: .seconds(0), scheduler: scheduler
    ).subscribe(observer)
    scheduler.start()
    subscription.dispose()
    #expect(observer.events == [.next(0, .init(data: "a")), .completed(100)])
  }

  @Test("a reconnection does not come a millisecond early", arguments: [1_001, 2_002])
  func wholeTime(milliseconds: Int) throws {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
    let provider = ScriptedProvider([try connection("retry: \(milliseconds)\n\n"), [.response(noContent)]])
    let observer = scheduler.createObserver(ServerSentEvent.self)
    let subscription = provider.rx.events(.init(), jitter: 0, scheduler: scheduler).subscribe(observer)
    scheduler.start()
    subscription.dispose()
    #expect(observer.events == [.completed(milliseconds)])
  }

  @Test("thousands of connections that end at once do not deepen the stack")
  func many() throws {
    let connections = try Array(repeating: connection("retry: 0\ndata\n\n"), count: 10_000)
    let events = events(ScriptedProvider(connections + [[.response(noContent)]])).events
    #expect(events.count == 10_001)
    #expect(events.last?.value == .completed)
  }
}
