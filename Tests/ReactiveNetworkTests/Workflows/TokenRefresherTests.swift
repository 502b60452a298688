import Foundation
import ReactiveNetworkLock
import LoopbackServer
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

private func refused() -> NetworkError { .statusCode(Response(statusCode: 401, data: Data())) }

@Suite("refreshingToken(with:)", .timeLimit(.minutes(5)))
struct TokenRefresherTests {
  private let scheduler = TestScheduler(initialClock: 0)

  /// Requests that take 10 and are refused while the token is old.
  private final class SimulatedAPI {
    var token = 0
    var renewals = 0

    var sentCount = 0

    func request(_ scheduler: TestScheduler, lasting time: Int = 10) -> Single<Int> {
      Single.deferred { [self] in
        let sent = token
        sentCount += 1
        return Single<Int>.timer(.seconds(time), scheduler: scheduler).map { _ in
          if sent == 0 { throw refused() }
          return sent
        }
      }
    }

    func renewal(_ scheduler: TestScheduler, fails: Bool = false) -> Single<Void> {
      Single<Int>.timer(.seconds(50), scheduler: scheduler).map { [self] _ in
        renewals += 1
        if fails { throw RxError.unknown }
        token += 1
      }
    }
  }

  @Test("refreshes once for all refused requests, and sends them again")
  func once() {
    let api = SimulatedAPI(), scheduler = scheduler
    nonisolated(unsafe) let renew = { api.renewal(scheduler) }
    let refresher = TokenRefresher { renew() }
    let results = [(200, 10), (203, 10), (205, 60)].map { start, time in
      let observer = scheduler.createObserver(Int.self)
      scheduler.scheduleAt(start) {
        _ = api.request(scheduler, lasting: time).refreshingToken(with: refresher).asObservable()
          .subscribe(observer)
      }
      return observer
    }
    scheduler.start()
    // Refused at 210 and 213, refreshed at 260; the third request, with the old token, is refused at 265.
    #expect(results.map { $0.events.first?.time } == [270, 270, 325])
    #expect(results.allSatisfy { $0.events.first?.value.element == 1 })
    #expect(api.renewals == 1)
  }

  @Test("a refused response counts although no filter has made it an error, and is the element if it stays")
  func unfiltered() {
    for statuses in [[401, 200], [401, 401], [404]] {
      var (sent, refreshes) = (0, 0)
      nonisolated(unsafe) let refresh = { refreshes += 1 }
      let refresher = TokenRefresher { .just(refresh()) }
      let request = Single<Response>.deferred {
        sent += 1
        return .just(Response(statusCode: statuses[sent - 1], data: Data()))
      }
      var outcome: [Int] = []
      _ = request.refreshingToken(with: refresher).subscribe(onSuccess: { outcome.append($0.statusCode) })
      #expect(outcome == statuses.suffix(1))
      #expect(sent == statuses.count)
      #expect(refreshes == statuses.count - 1)
    }
  }

  @Test("a failed refresh ends all waiting requests with its error; the next request may refresh again")
  func failure() {
    let api = SimulatedAPI(), scheduler = scheduler
    nonisolated(unsafe) let renew = { api.renewal(scheduler, fails: true) }
    let refresher = TokenRefresher { renew() }
    let results = [(200, 10), (203, 10), (205, 60), (255, 10), (300, 10)].map { start, time in
      let observer = scheduler.createObserver(Int.self)
      scheduler.scheduleAt(start) {
        _ = api.request(scheduler, lasting: time).refreshingToken(with: refresher).asObservable()
          .subscribe(observer)
      }
      return observer
    }
    scheduler.start()
    // The fourth starts during the refresh, so it is not sent.
    #expect(results.map { $0.events.first?.time } == [260, 260, 265, 260, 360])
    #expect(api.sentCount == 4)
    #expect(results.allSatisfy { $0.events.first?.value.error as? RxError != nil })
    #expect(api.renewals == 2)
  }

  @Test("a request that is refused after a successful refresh is sent again, even if the one before failed")
  func failureIsOver() {
    let api = SimulatedAPI(), scheduler = scheduler
    nonisolated(unsafe) let renew = { api.renewal(scheduler, fails: api.renewals == 0) }
    let refresher = TokenRefresher { renew() }
    let results = [(200, 10), (205, 300), (300, 10)].map { start, time in
      let observer = scheduler.createObserver(Int.self)
      scheduler.scheduleAt(start) {
        _ = api.request(scheduler, lasting: time).refreshingToken(with: refresher).asObservable()
          .subscribe(observer)
      }
      return observer
    }
    scheduler.start()
    // The refreshes end at 260, with an error, and at 360. The second request is refused at 505.
    #expect(results[0].events.map(\.time) == [260])
    #expect(results[1].events == [.next(805, 1), .completed(805)])
    #expect(results[2].events == [.next(370, 1), .completed(370)])
  }

  @Test("requests that start during a refresh wait for it, so that each of them is sent once")
  func duringRefresh() {
    let api = SimulatedAPI(), scheduler = scheduler
    nonisolated(unsafe) let renew = { api.renewal(scheduler) }
    let refresher = TokenRefresher { renew() }
    let request = api.request(scheduler).refreshingToken(with: refresher).asObservable()
    let observers = ([200] + Array(repeating: 220, count: 19)).map { start in
      let observer = scheduler.createObserver(Int.self)
      scheduler.scheduleAt(start) { _ = request.subscribe(observer) }
      return observer
    }
    let cancelled = scheduler.createObserver(Int.self)
    let leaving = SingleAssignmentDisposable()
    scheduler.scheduleAt(230) { leaving.setDisposable(request.subscribe(cancelled)) }
    scheduler.scheduleAt(240) { leaving.dispose() }
    scheduler.start()
    // Refused at 210, refreshed at 260.
    #expect(observers.allSatisfy { $0.events == [.next(270, 1), .completed(270)] })
    #expect(cancelled.events.isEmpty)
    #expect(api.sentCount == 21)
    #expect(api.renewals == 1)
  }

  @Test("goes on when no request waits any more, and serves the next request")
  func abandoned() {
    let api = SimulatedAPI(), scheduler = scheduler
    nonisolated(unsafe) let renew = { api.renewal(scheduler) }
    let refresher = TokenRefresher { renew() }
    let request = api.request(scheduler).refreshingToken(with: refresher).asObservable()
    let first = request.subscribe(), second = request.subscribe()
    scheduler.scheduleAt(20) { first.dispose() }
    scheduler.scheduleAt(30) { second.dispose() }
    let late = scheduler.createObserver(Int.self)
    scheduler.scheduleAt(40) { _ = request.subscribe(late) }
    scheduler.start()
    #expect(api.renewals == 1)
    // It waits for the refresh, which ends at 60.
    #expect(late.events.map(\.time) == [70, 70])
  }

  @Test("a disposed request does not cancel the refresh for the others")
  func leaving() {
    let api = SimulatedAPI(), scheduler = scheduler
    nonisolated(unsafe) let renew = { api.renewal(scheduler) }
    let refresher = TokenRefresher { renew() }
    let request = api.request(scheduler).refreshingToken(with: refresher).asObservable()
    let leaving = request.subscribe()
    let staying = scheduler.createObserver(Int.self)
    _ = request.subscribe(staying)
    scheduler.scheduleAt(20) { leaving.dispose() }
    scheduler.start()
    // Refused at 10, refreshed at 60.
    #expect(staying.events == [.next(70, 1), .completed(70)])
  }

  @Test("waiting requests resume in the order in which they were refused")
  func order() {
    let renewed = PublishSubject<Void>()
    let refresher = TokenRefresher { renewed.take(1).asSingle() }
    let refusal = PublishSubject<Int>()
    var order: [Int] = []
    for number in 0..<8 {
      var attempts = 0
      _ = Single<Int>.deferred {
        attempts += 1
        return attempts == 1 ? refusal.take(1).asSingle() : .just(number)
      }
      .refreshingToken(with: refresher).subscribe(onSuccess: { order.append($0) })
    }
    refusal.onError(refused())
    #expect(order.isEmpty)
    renewed.onNext(())
    #expect(order == Array(0..<8))
  }

  @Test("a request refused with the token of an earlier round waits for the active refresh")
  func lateRefusal() {
    let renewed = PublishSubject<Void>()
    let refresher = TokenRefresher { renewed.take(1).asSingle() }
    let answers = (0..<3).map { _ in PublishSubject<Int>() }
    var attempts = [0, 0, 0]
    let bag = DisposeBag()
    func send(_ number: Int) {
      Single<Int>.deferred {
        attempts[number] += 1
        return attempts[number] == 1 ? answers[number].take(1).asSingle() : .just(number)
      }
      .refreshingToken(with: refresher).subscribe().disposed(by: bag)
    }
    send(0)
    send(1)
    answers[0].onError(refused())
    renewed.onNext(())
    send(2)
    answers[2].onError(refused())
    answers[1].onError(refused())
    #expect(attempts == [2, 1, 1])
    renewed.onNext(())
    #expect(attempts == [2, 2, 2])
  }

  @Test("the caller decides which error is a refusal")
  func ownRule() async {
    let renewals = Lock(0)
    let refresher = TokenRefresher(
      isRefusal: { $0 is RxError },
      refresh: {
        renewals.withLock { $0 += 1 }
        return .just(())
      })
    _ = await Single<Int>.error(RxError.noElements).refreshingToken(with: refresher).result()
    #expect(renewals.withLock { $0 } == 1)
    _ = await Single<Int>.error(refused()).refreshingToken(with: refresher).result()
    #expect(renewals.withLock { $0 } == 1)
  }

  @Test("each subscription to a single may cause one refresh")
  func subscriptions() async {
    let renewals = Lock(0)
    let refresher = TokenRefresher {
      renewals.withLock { $0 += 1 }
      return .just(())
    }
    let request = Single<Int>.error(refused()).refreshingToken(with: refresher)
    for _ in 0..<3 { _ = await request.result() }
    #expect(renewals.withLock { $0 } == 3)
  }

  @Test("other errors, and a second refusal, are forwarded")
  func others() async {
    let calls = Lock(0)
    let refresher = TokenRefresher {
      calls.withLock { $0 += 1 }
      return .just(())
    }
    let odd = await Single<Int>.error(RxError.noElements).refreshingToken(with: refresher).result()
    #expect(throws: RxError.self) { try odd.get() }
    #expect(calls.withLock { $0 } == 0)
    let twice = await Single<Int>.error(refused()).refreshingToken(with: refresher).result()
    #expect(twice.networkError?.response?.statusCode == 401)
    #expect(calls.withLock { $0 } == 1)
  }

  @Test("parallel requests on the wire cause one refresh")
  func wire() async throws {
    let server = try LoopbackServer { $0.headers["Authorization"] == "new" ? .text("in") : .status(401) }
    server.route("/token") { _ in .text("new") }
    let token = Lock("old")
    let provider = NetworkProvider<LoopbackTarget>(
      endpointClosure: {
        NetworkProvider.defaultEndpointMapping(for: $0)
          .adding(newHTTPHeaderFields: ["Authorization": token.withLock { $0 }])
      })
    let refresher = TokenRefresher {
      provider.rx.request(LoopbackTarget(server, "/token")).mapString().map { new in
        token.withLock { $0 = new }
      }
    }
    await withTaskGroup(of: String?.self) { group in
      for index in 0..<20 {
        group.addTask {
          let page = provider.rx.request(LoopbackTarget(server, "/\(index)")).filterSuccessfulStatusCodes()
            .mapString()
          return try? await page.refreshingToken(with: refresher).result().get()
        }
      }
      for await text in group { #expect(text == "in") }
    }
    #expect(server.log.requests.filter { $0.path == "/token" }.count == 1)
  }

  @Test("nothing is sent again after a body that can be read only once", arguments: [true, false])
  func bodyReadOnce(isRefused: Bool) async throws {
    let server = try LoopbackServer { .status($0.method == "PUT" && !isRefused ? 204 : 401) }
    let body = BodyStream(InputStream(data: Data("x".utf8)), length: 1)
    let provider = NetworkProvider<LoopbackTarget>(
      endpointClosure: { target in
        let endpoint = NetworkProvider.defaultEndpointMapping(for: target)
        guard target.path == "/upload" else { return endpoint }
        return Endpoint(
          url: endpoint.url, sampleResponseClosure: { .networkResponse(200, Data()) }, method: .put,
          task: .uploadStream(body), httpHeaderFields: nil)
      })
    let refreshes = Lock(0)
    let refresher = TokenRefresher {
      refreshes.withLock { $0 += 1 }
      return .just(())
    }
    let page = provider.rx.request(LoopbackTarget(server, "/page")).filterSuccessfulStatusCodes()
    let result = await provider.rx.request(LoopbackTarget(server, "/upload")).filterSuccessfulStatusCodes()
      .flatMap { _ in page }.refreshingToken(with: refresher).result()
    #expect(result.networkError?.response?.statusCode == 401)
    #expect(server.log.requests.map(\.path) == (isRefused ? ["/upload"] : ["/upload", "/page"]))
    #expect(refreshes.withLock { $0 } == 0)
  }

  @Test("a POST that took effect before its redirect was refused is not sent again")
  func redirectedPost() async throws {
    let server = try LoopbackServer { _ in .status(401) }
    server.route("/orders") { _ in .redirect(to: "/orders/1", status: 303) }
    let provider = NetworkProvider<LoopbackTarget>(
      endpointClosure: { target in
        Endpoint(
          url: target.baseURL.appendingPathComponent(target.path).absoluteString,
          sampleResponseClosure: { .networkResponse(200, Data()) }, method: .post, task: .requestPlain,
          httpHeaderFields: nil)
      })
    let result = await provider.rx.request(LoopbackTarget(server, "orders")).filterSuccessfulStatusCodes()
      .refreshingToken(with: TokenRefresher { .just(()) }).result()
    #expect(result.networkError?.response?.statusCode == 401)
    #expect(server.log.requests.map(\.path) == ["/orders", "/orders/1"])
  }
}
