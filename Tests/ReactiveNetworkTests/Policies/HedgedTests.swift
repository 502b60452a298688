import Foundation
import LoopbackServer
import ReactiveNetworkLock
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

@Suite("hedged(_:)", .timeLimit(.minutes(5)))
struct HedgedTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func budget(ratio: Double = 1) -> RetryBudget {
    RetryBudget(
      ratio: ratio, minimumPerSecond: 0, window: .seconds(3_600), scheduler: scheduler.asDelayScheduler())
  }

  /// Runs copies that end at given times, with a hedge after 20 units; returns the events and subscriptions.
  private func run(
    _ copies: [TestableObservable<Int>], budget: RetryBudget? = nil, disposed: Int = 1_000
  ) -> (events: [Recorded<Event<Int>>], subscriptions: [[Subscription]]) {
    var next = copies.makeIterator()
    let source = Single.deferred { next.next()?.asSingle() ?? .never() }
    let budget = budget ?? self.budget()
    let result = scheduler.start(disposed: disposed) {
      source.hedged(after: .seconds(20), budget: budget, hedgesUnknownRequests: true, scheduler: scheduler)
        .asObservable()
    }
    return (result.events, copies.map(\.subscriptions))
  }

  private func success(_ element: Int, at time: Int) -> TestableObservable<Int> {
    scheduler.createColdObservable([.next(time, element), .completed(time)])
  }

  private func failure(_ error: TransferError, at time: Int) -> TestableObservable<Int> {
    scheduler.createColdObservable([.error(time, NetworkError.underlying(error, nil))])
  }

  private func error(of events: [Recorded<Event<Int>>]) -> TransferError? {
    (events.first?.value.error as? NetworkError)?.transferError
  }

  @Test("the second copy wins, and the first one is disposed")
  func overtaken() {
    let (events, subscriptions) = run([success(1, at: 90), success(2, at: 10)])
    #expect(events == [.next(230, 2), .completed(230)])
    #expect(subscriptions == [[Subscription(200, 230)], [Subscription(220, 230)]])
  }

  @Test("the delay does not run while the first copy waits for a place in a limit")
  func waiting() throws {
    let delays = scheduler.asDelayScheduler()
    let limit = ConcurrencyLimit(1, scheduler: delays)
    let place = Lock<ConcurrencyLimit.Permit?>(nil)
    _ = limit.acquire { result in place.withLock { $0 = try? result.get() } }
    let late = success(1, at: 30)
    scheduler.scheduleAt(205) { #expect(limit.waitingCount == 1) }
    scheduler.scheduleAt(260) {
      #expect(limit.waitingCount == 1)
      place.withLock { $0.take() }?.release()
    }
    scheduler.scheduleAt(275) { #expect(limit.waitingCount == 0) }
    scheduler.scheduleAt(285) { #expect(limit.waitingCount == 1) }
    let (scheduler, budget) = (scheduler, budget())
    let result = scheduler.start {
      late.asSingle().limitConcurrency(limit, longestWait: nil)
        .hedged(after: .seconds(20), budget: budget, hedgesUnknownRequests: true, scheduler: scheduler)
        .asObservable()
    }
    // The second copy waits from 281 on, and is withdrawn.
    #expect(late.subscriptions.map(\.subscribe) == [261])
    #expect(result.events == [.next(291, 1), .completed(291)])
    #expect(limit.waitingCount == 0)
    #expect(budget.availableRetries == 0)
  }

  @Test("after a wait for a place in a limit, the delay goes on where it was")
  func interrupted() {
    let limit = ConcurrencyLimit(1, scheduler: scheduler.asDelayScheduler())
    let place = Lock<ConcurrencyLimit.Permit?>(nil)
    _ = limit.acquire { result in place.withLock { $0 = try? result.get() } }
    scheduler.scheduleAt(260) { place.withLock { $0.take() }?.release() }
    let (scheduler, source, budget) = (scheduler, success(1, at: 90), budget())
    var starts: [Int] = []
    _ = scheduler.start {
      Single.deferred {
        starts.append(scheduler.clock)
        return Single<Int>.timer(.seconds(10), scheduler: scheduler)
      }
      .flatMap { _ in source.asSingle().limitConcurrency(limit, longestWait: nil) }
      .hedged(after: .seconds(20), budget: budget, hedgesUnknownRequests: true, scheduler: scheduler)
      .asObservable()
    }
    // Ten seconds have passed when the wait begins at 210, and ten are left when it ends at 261.
    #expect(starts == [200, 271])
  }

  @Test("the delay runs again when a sequence that waits for a place is left for another one")
  func abandonedWait() {
    let limit = ConcurrencyLimit(1, scheduler: scheduler.asDelayScheduler())
    let place = Lock<ConcurrencyLimit.Permit?>(nil)
    _ = limit.acquire { result in place.withLock { $0 = try? result.get() } }
    let (scheduler, other, budget) = (scheduler, success(1, at: 50), budget())
    let result = scheduler.start {
      Single.just(0).limitConcurrency(limit, longestWait: nil)
        .requestTimeout(.seconds(5), scheduler: scheduler)
        .catch { _ in other.asSingle() }
        .hedged(after: .seconds(20), budget: budget, hedgesUnknownRequests: true, scheduler: scheduler)
        .asObservable()
    }
    // The first copy waits until 205, and the second one from 225 to 230.
    #expect(result.events == [.next(255, 1), .completed(255)])
    #expect(other.subscriptions == [Subscription(205, 255), Subscription(230, 255)])
    #expect(limit.waitingCount == 0)
    place.withLock { $0.take() }?.release()
  }

  @Test("the delays of two hedges do not run while the first copy waits for a place in a limit")
  func nestedWaiting() {
    let limit = ConcurrencyLimit(1, scheduler: scheduler.asDelayScheduler())
    let place = Lock<ConcurrencyLimit.Permit?>(nil)
    _ = limit.acquire { result in place.withLock { $0 = try? result.get() } }
    var waiting: [Int] = []
    for time in [205, 255, 285, 295] { scheduler.scheduleAt(time) { waiting.append(limit.waitingCount) } }
    scheduler.scheduleAt(260) { place.withLock { $0.take() }?.release() }
    let (scheduler, source, inner, outer) = (scheduler, success(1, at: 90), budget(), budget())
    _ = scheduler.start {
      source.asSingle().limitConcurrency(limit, longestWait: nil)
        .hedged(after: .seconds(20), budget: inner, hedgesUnknownRequests: true, scheduler: scheduler)
        .hedged(after: .seconds(30), budget: outer, hedgesUnknownRequests: true, scheduler: scheduler)
        .asObservable()
    }
    // The inner copy waits from 280 on, and the outer one from 290 on.
    #expect(waiting == [1, 1, 1, 2])
  }

  @Test("a second copy that waits for a place does not replace the error of the first one")
  func waitingSecond() {
    let limit = RateLimit(1, per: .seconds(600), scheduler: scheduler.asDelayScheduler())
    let (scheduler, source, budget) = (scheduler, failure(.connectionLost(reason: "reset"), at: 30), budget())
    let result = scheduler.start {
      source.asSingle().limitRate(limit, longestWait: .seconds(50))
        .hedged(after: .seconds(20), budget: budget, hedgesUnknownRequests: true, scheduler: scheduler)
        .asObservable()
    }
    #expect(result.events.map(\.time) == [230])
    #expect(error(of: result.events) == .connectionLost(reason: "reset"))
    #expect(limit.waitingCount == 0)
  }

  @Test("a second copy that waits for a place in a limit does not stop the delay of an outer hedge")
  func nested() {
    let limit = ConcurrencyLimit(1, scheduler: scheduler.asDelayScheduler())
    var waiting: [Int] = []
    for time in [205, 215, 235] { scheduler.scheduleAt(time) { waiting.append(limit.waitingCount) } }
    let (scheduler, source, inner, outer) = (scheduler, success(1, at: 90), budget(), budget())
    let result = scheduler.start {
      source.asSingle().limitConcurrency(limit, longestWait: nil)
        .hedged(after: .seconds(10), budget: inner, hedgesUnknownRequests: true, scheduler: scheduler)
        .hedged(after: .seconds(30), budget: outer, hedgesUnknownRequests: true, scheduler: scheduler)
        .asObservable()
    }
    #expect(waiting == [0, 1, 2])
    #expect(result.events == [.next(290, 1), .completed(290)])
    #expect(limit.waitingCount == 0)
  }

  @Test(
    "a percentile is that of the response times of singles, without their waits for a place",
    arguments: [false, true])
  func percentile(isLimited: Bool) {
    let delays = scheduler.asDelayScheduler()
    let limit = ConcurrencyLimit(1, scheduler: delays)
    let policy = HedgePolicy(
      after: .percentile(100, initially: .seconds(100)), budget: budget(), hedgesUnknownRequests: true,
      scheduler: delays)
    let answer = Single<Int>.timer(.seconds(4), scheduler: scheduler)
    let single = (isLimited ? answer.limitConcurrency(limit, longestWait: nil) : answer).hedged(policy)
    for _ in 0..<20 { _ = single.subscribe() }
    scheduler.start()
    let seconds = policy.currentDelay / .seconds(1)
    #expect(abs(seconds - 4) < 1e-6)
  }

  @Test("the time of a second copy does not count for a percentile if the first one has failed")
  func replacedFailure() {
    let policy = HedgePolicy(
      after: .percentile(100, initially: .seconds(20)), budget: budget(), hedgesUnknownRequests: true,
      scheduler: scheduler.asDelayScheduler())
    var elements: [Int] = []
    for _ in 0..<20 {
      var copies = [
        failure(.connectionLost(reason: "reset"), at: 30).asSingle(), success(2, at: 40).asSingle(),
      ].makeIterator()
      _ = Single.deferred { copies.next() ?? .never() }.hedged(policy)
        .subscribe(onSuccess: { elements.append($0) })
    }
    scheduler.start()
    #expect(elements == Array(repeating: 2, count: 20))
    #expect(policy.currentDelay == .seconds(20))
  }

  @Test("a status that says that the server has failed does not count for a percentile")
  func failedResponses() {
    let policy = HedgePolicy(
      after: .percentile(100, initially: .seconds(20)), budget: budget(), hedgesUnknownRequests: true,
      scheduler: scheduler.asDelayScheduler())
    func respond(_ status: Int) {
      let response = Response(statusCode: status, data: Data())
      let answer = scheduler.createColdObservable([.next(4, response), .completed(4)])
      for _ in 0..<20 { _ = answer.asSingle().hedged(policy).subscribe() }
      scheduler.start()
    }
    respond(503)
    #expect(policy.currentDelay == .seconds(20))
    respond(404)
    let seconds = policy.currentDelay / .seconds(1)
    #expect(abs(seconds - 4) < 1e-6)
  }

  @Test("by default, a single whose requests are unknown is subscribed once", arguments: [false, true])
  func unknownRequests(hasPolicy: Bool) {
    let (scheduler, source, budget) = (scheduler, success(1, at: 90), budget())
    let policy = HedgePolicy(
      after: .fixed(.seconds(20)), budget: budget, scheduler: scheduler.asDelayScheduler())
    let single = source.asSingle()
    let hedged =
      hasPolicy
      ? single.hedged(policy) : single.hedged(after: .seconds(20), budget: budget, scheduler: scheduler)
    let result = scheduler.start { hedged.asObservable() }
    #expect(source.subscriptions == [Subscription(200, 290)])
    #expect(result.events == [.next(290, 1), .completed(290)])
  }

  @Test("the loser is disposed before the element is delivered")
  func order() {
    var log: [String] = []
    var copies = [
      Single<Int>.never().do(onDispose: { log.append("disposed") }), success(2, at: 10).asSingle(),
    ].makeIterator()
    _ = Single.deferred { copies.next() ?? .never() }
      .hedged(after: .seconds(20), budget: budget(), hedgesUnknownRequests: true, scheduler: scheduler)
      .subscribe(onSuccess: { log.append("\($0)") })
    scheduler.start()
    #expect(log == ["disposed", "2"])
  }

  @Test("the first copy wins, and the second one is disposed")
  func firstWins() {
    let (events, subscriptions) = run([success(1, at: 30), success(2, at: 90)])
    #expect(events == [.next(230, 1), .completed(230)])
    #expect(subscriptions == [[Subscription(200, 230)], [Subscription(220, 230)]])
  }

  @Test("a copy that ends in time is the only one, and leaves no timer")
  func inTime() {
    let (events, subscriptions) = run([success(1, at: 10), success(2, at: 1)])
    #expect(events == [.next(210, 1), .completed(210)])
    #expect(subscriptions[1].isEmpty)
    let other = HedgedTests()
    let (failed, others) = other.run([
      other.failure(.timedOut(after: .seconds(1)), at: 10), other.success(2, at: 1),
    ])
    #expect(error(of: failed) == .timedOut(after: .seconds(1)))
    #expect(others[1].isEmpty)
  }

  @Test("an error counts only if no other copy runs, and the last one counts")
  func errors() {
    let first = run([failure(.timedOut(after: .seconds(1)), at: 30), success(2, at: 50)])
    #expect(first.events == [.next(270, 2), .completed(270)])
    let scheduler = HedgedTests()
    let second = scheduler.run([
      scheduler.success(1, at: 90), scheduler.failure(.timedOut(after: .seconds(2)), at: 10),
    ])
    #expect(second.events == [.next(290, 1), .completed(290)])
    let both = HedgedTests()
    let ended = both.run([
      both.failure(.timedOut(after: .seconds(1)), at: 90),
      both.failure(.timedOut(after: .seconds(2)), at: 10),
    ])
    #expect(ended.events.map(\.time) == [290])
    #expect(error(of: ended.events) == .timedOut(after: .seconds(1)))
  }

  @Test("a transient status counts only if no other copy runs")
  func statuses() {
    var answers = [(503, 30), (200, 50), (503, 10)].map { status, time in
      let response = Response(statusCode: status, data: Data())
      return scheduler.createColdObservable([.next(time, response), .completed(time)]).asSingle()
    }.makeIterator()
    let single = Single.deferred { answers.next() ?? .never() }
      .hedged(after: .seconds(20), budget: budget(), hedgesUnknownRequests: true, scheduler: scheduler)
    let result = scheduler.start { Observable.concat([single.asObservable(), single.asObservable()]) }
    #expect(result.events.compactMap(\.value.element?.statusCode) == [200, 503])
    #expect(result.events.map(\.time) == [270, 280, 280])
  }

  @Test("a dispose ends both copies, and a running timer", arguments: [210, 240])
  func dispose(time: Int) {
    let (events, subscriptions) = run([success(1, at: 90), success(2, at: 90)], disposed: time)
    #expect(events.isEmpty)
    #expect(subscriptions[0] == [Subscription(200, time)])
    #expect(subscriptions[1] == (time > 220 ? [Subscription(220, time)] : []))
  }

  @Test("a single that is disposed before its second subscription leaves no timer")
  func timerOfDisposed() {
    let time = ManualDelayScheduler()
    let budget = RetryBudget(ratio: 1, scheduler: time)
    let policy = HedgePolicy(after: .fixed(.seconds(20)), budget: budget, scheduler: time)
    let subscription = Single<Int>.never().hedged(policy).subscribe()
    #expect(time.pendingCount == 1)
    subscription.dispose()
    #expect(time.pendingCount == 0)
  }

  @Test("an empty budget allows no second copy")
  func budgets() {
    let (events, subscriptions) = run([success(1, at: 90), success(2, at: 1)], budget: budget(ratio: 0.5))
    #expect(events == [.next(290, 1), .completed(290)])
    #expect(subscriptions[1].isEmpty)
  }

  @Test("a copy that ends within its subscription is delivered once, even if the hedge has no delay")
  func synchronous() {
    var elements: [Int] = []
    let budget = budget()
    _ = Single.just(1).hedged(
      after: .seconds(0), budget: budget, hedgesUnknownRequests: true, scheduler: scheduler
    )
    .subscribe(onSuccess: { elements.append($0) })
    scheduler.start()
    #expect(elements == [1])
    let (events, _) = run([success(2, at: 30), success(3, at: 5)])
    #expect(events.first?.value.element == 3)
  }

  @Test(
    "a request whose method must not be repeated is sent once",
    arguments: [(HTTPMethod.get, 2), (.post, 1)])
  func methods(method: HTTPMethod, requests: Int) {
    let provider = NetworkProvider<HedgedTarget>(
      stubClosure: { _ in .delayed(seconds: 50) }, scheduler: scheduler.asDelayScheduler())
    var sent = 0
    let single = provider.rx.request(HedgedTarget(method: method)).do(onSubscribe: { sent += 1 })
      .hedged(after: .seconds(20), budget: budget(), hedgesUnknownRequests: true, scheduler: scheduler)
    let result = scheduler.start { single.asObservable() }
    #expect(result.events.first?.value.element?.statusCode == 200)
    #expect(result.events.first?.time == 250)
    #expect(sent == requests)
  }

  @Test(
    "only a request with one of the chosen methods is sent twice",
    arguments: [(HTTPMethod.get, 1), (.post, 2)])
  func chosenMethods(method: HTTPMethod, requests: Int) {
    let provider = NetworkProvider<HedgedTarget>(
      stubClosure: { _ in .delayed(seconds: 50) }, scheduler: scheduler.asDelayScheduler())
    var sent = 0
    let single = provider.rx.request(HedgedTarget(method: method)).do(onSubscribe: { sent += 1 })
      .hedged(after: .seconds(20), budget: budget(), hedgeableHTTPMethods: [.post], scheduler: scheduler)
    let result = scheduler.start { single.asObservable() }
    #expect(result.events.first?.time == 250)
    #expect(sent == requests)
  }

  @Test("a request is sent twice only if its body can be read twice", arguments: [(true, 2), (false, 1)])
  func bodies(isRepeatable: Bool, requests: Int) {
    let provider = NetworkProvider<HedgedTarget>(
      stubClosure: { _ in .delayed(seconds: 50) }, scheduler: scheduler.asDelayScheduler())
    let body = BodyStream(isRepeatable: isRepeatable) { _ in throw TransferError.cancelled }
    var sent = 0
    let single = provider.rx.request(HedgedTarget(method: .put, task: .uploadStream(body)))
      .do(onSubscribe: { sent += 1 })
      .hedged(after: .seconds(20), budget: budget(), hedgesUnknownRequests: true, scheduler: scheduler)
    let result = scheduler.start { single.asObservable() }
    #expect(result.events.first?.time == 250)
    #expect(sent == requests)
  }

  @Test(
    "if the second copy is withdrawn after the first one has failed, that failure counts",
    arguments: [false, true])
  func withdrawn(isUpload: Bool) {
    let provider = NetworkProvider<HedgedTarget>(
      stubClosure: { _ in .immediate }, scheduler: scheduler.asDelayScheduler())
    let body = BodyStream(isRepeatable: false) { _ in throw TransferError.cancelled }
    let upload = HedgedTarget(method: .put, task: .uploadStream(body))
    let post = provider.rx.request(isUpload ? upload : HedgedTarget(method: .post)).map { _ in 2 }
    let first = failure(.connectionLost(reason: "first"), at: 25).asSingle()
    let second = success(1, at: 30).asSingle().flatMap { _ in post }
    var copies = [first, second].makeIterator()
    let source = Single.deferred { copies.next() ?? .never() }
    let (scheduler, budget) = (scheduler, budget())
    let result = scheduler.start {
      source.hedged(after: .seconds(20), budget: budget, hedgesUnknownRequests: true, scheduler: scheduler)
        .asObservable()
    }
    #expect(error(of: result.events) == .connectionLost(reason: "first"))
    #expect(result.events.map(\.time) == [250])
  }

  @Test("a later retry does not repeat non-idempotent requests of hedged copies")
  func retries() {
    let provider = NetworkProvider<HedgedTarget>(
      endpointClosure: {
        Endpoint(
          url: "http://host/", sampleResponseClosure: { .networkResponse(503, Data()) }, method: $0.method,
          task: $0.task, httpHeaderFields: nil)
      }, stubClosure: NetworkProvider.immediatelyStub)
    var sent = 0
    let single = provider.rx.request(HedgedTarget(method: .post)).do(onSubscribe: { sent += 1 })
      .filterSuccessfulStatusCodes()
      .hedged(after: .seconds(20), budget: budget(), hedgesUnknownRequests: true, scheduler: scheduler)
      .retry(backoff: .constant(.seconds(1)), maxAttempts: 3, scheduler: scheduler)
    _ = scheduler.start { single.asObservable() }
    #expect(sent == 1)
  }

  @Test("the server sees the loser's connection closed before its response")
  func wire() async throws {
    let server = try LoopbackServer()
    server.route("/items/:id") { [weak server] _ in
      server?.log.requestCount == 1 ? .never : .text("quick")
    }
    let provider = NetworkProvider<HedgedTarget>()
    let single = provider.rx.request(HedgedTarget(baseURL: server.baseURL))
      .hedged(after: .milliseconds(50), budget: RetryBudget())
    let response = try await single.value
    #expect(try response.mapString() == "quick")
    let log = try await server.log { $0.abandoned.count == 1 && $0.pending == 0 }
    #expect(log.requestCount == 2)
    #expect(log.abandoned.first?.phase == .waiting)
  }
}

private struct HedgedTarget: TargetType {
  var baseURL = URL(string: "http://host")!
  var path: String { "/items/1" }
  var method = HTTPMethod.get
  var task = HTTPTask.requestPlain
}
