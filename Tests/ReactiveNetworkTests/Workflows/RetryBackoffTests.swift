import Foundation
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private func refusal(_ status: Int, _ fields: [String: String] = [:]) throws -> NetworkError {
  let url = try #require(URL(string: "http://h/"))
  let head = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
  return .statusCode(Response(statusCode: status, data: Data(), response: head))
}

@Suite("retry(backoff:)")
struct RetryBackoffTests {
  private let scheduler = TestScheduler(initialClock: 0)
  private let waits = Backoff.exponential(initial: .seconds(10), multiplier: 3, max: .seconds(60), jitter: 0)

  @Test("waits longer and longer, and forwards the last error")
  func growth() throws {
    let error = try refusal(503)
    let source = scheduler.createColdObservable([.next(5, 1), .error(10, error)])
    let result = scheduler.start(disposed: 2000) {
      source.retry(backoff: waits, maxAttempts: 5, when: isTransient, scheduler: scheduler)
    }
    // Attempts of 10, with waits of 10, 30, 60 and 60 between them.
    #expect(
      source.subscriptions == [
        Subscription(200, 210), Subscription(220, 230), Subscription(260, 270), Subscription(330, 340),
        Subscription(400, 410),
      ])
    #expect(result.events.count == 6)
    #expect(result.events.last?.time == 410)
    #expect(result.events.last?.value.isStopEvent == true)
  }

  @Test("an element ends a row of failures if that is asked for")
  func reset() throws {
    let error = try refusal(503)
    let lived = scheduler.createColdObservable([.next(5, 1), .next(6, 2), .error(10, error)])
    let failed = scheduler.createColdObservable([Recorded<Event<Int>>.error(10, error)])
    var sources = [failed, failed, lived, failed, lived]
    let source = Observable.deferred {
      sources.isEmpty ? failed.asObservable() : sources.removeFirst().asObservable()
    }
    let result = scheduler.start(disposed: 2000) {
      source.retry(
        backoff: waits, maxAttempts: 4, resetOnSuccess: true, when: isTransient, scheduler: scheduler)
    }
    #expect(lived.subscriptions == [Subscription(260, 270), Subscription(320, 330)])
    // The waits begin anew after each element: 10, 30, then 10, 30, then 10, 30, 60, after which
    // four attempts in a row have failed.
    #expect(failed.subscriptions.map(\.subscribe) == [200, 220, 280, 340, 380, 450])
    #expect(result.events.last?.time == 460)
    #expect(result.events.last?.value.isStopEvent == true)
  }

  @Test("an element that ends a row of failures renews the limit of the policy")
  func resetOfPolicyLimit() throws {
    let error = try refusal(503)
    let lived = scheduler.createColdObservable([.next(5, 1), .error(10, error)])
    let failed = scheduler.createColdObservable([Recorded<Event<Int>>.error(10, error)])
    var sources = [lived, lived, lived]
    let source = Observable.deferred {
      sources.isEmpty ? failed.asObservable() : sources.removeFirst().asObservable()
    }
    let result = scheduler.start {
      source.retry(
        backoff: .delayed(maxCount: 2, time: 5), maxAttempts: 9, resetOnSuccess: true, when: isTransient,
        scheduler: scheduler)
    }
    #expect(lived.subscriptions.map(\.subscribe) == [200, 215, 230])
    // The second attempt in a row.
    #expect(failed.subscriptions.map(\.subscribe) == [245])
    #expect(result.events.last?.time == 255)
    #expect(result.events.last?.value.isStopEvent == true)
  }

  @Test("waits can become shorter")
  func decay() throws {
    let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(10, try refusal(503))])
    _ = scheduler.start {
      source.retry(
        backoff: .exponential(initial: .seconds(40), multiplier: 0.5, jitter: 0), maxAttempts: 4,
        when: isTransient, scheduler: scheduler)
    }
    // Waits of 40, limited to the longest of 30, then 20 and 10.
    #expect(source.subscriptions.map(\.subscribe) == [200, 240, 270, 290])
  }

  @Test("the smaller of two limits counts", arguments: [(2, 5), (5, 2)])
  func limits(ofPolicy: UInt, ofCall: Int) throws {
    let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(10, try refusal(503))])
    let result = scheduler.start {
      source.retry(
        backoff: .delayed(maxCount: ofPolicy, time: 5), maxAttempts: ofCall, when: isTransient,
        scheduler: scheduler)
    }
    #expect(source.subscriptions == [Subscription(200, 210), Subscription(215, 225)])
    #expect(result.events.map(\.time) == [225])
  }

  @Test("does not retry permanent errors", arguments: [400, 401, 404, 501])
  func lasting(status: Int) throws {
    let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(10, try refusal(status))])
    let result = scheduler.start { source.retry(backoff: waits, when: isTransient, scheduler: scheduler) }
    #expect(source.subscriptions == [Subscription(200, 210)])
    #expect(result.events.map(\.time) == [210])
  }

  @Test(
    "waits as long as the server requests, unless that is too long",
    arguments: [("40", 2), ("60", 2), ("61", 1), ("5", 2)])
  func retryAfter(wish: String, attempts: Int) throws {
    let error = try refusal(429, ["Retry-After": wish])
    let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(10, error)])
    _ = scheduler.start(disposed: 500) {
      source.retry(backoff: waits, maxAttempts: 2, when: isTransient, scheduler: scheduler)
    }
    let wait = max(10, try #require(Int(wish)))
    #expect(source.subscriptions.map(\.subscribe) == Array([200, 210 + wait].prefix(attempts)))
  }

  @Test("waits exactly as long as the server requests if the delays of the policy have no jitter")
  func retryAfterWithoutJitter() throws {
    let error = try refusal(503, ["Retry-After": "40"])
    let policies: [Backoff] = [
      .immediate(maxCount: 2), .customTimerDelayed(maxCount: 2, delayCalculator: { _ in .seconds(1) }),
    ]
    for policy in policies {
      let scheduler = TestScheduler(initialClock: 0)
      let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(10, error)])
      _ = scheduler.start(disposed: 500) {
        source.retry(backoff: policy, maxAttempts: 2, when: isTransient, scheduler: scheduler)
      }
      #expect(source.subscriptions.map(\.subscribe) == [200, 250])
    }
  }

  @Test("lengthens the wait that the server requests by at most the jitter, and never shortens it")
  func retryAfterJitter() throws {
    let error = try refusal(503, ["Retry-After": "40"])
    let begins = attemptTimes(.exponential(initial: .seconds(1), jitter: 0.5), error)
    #expect(begins.allSatisfy { (240...261).contains($0) })
    #expect(Set(begins).count > 1)
  }

  @Test(
    "a wait that would pass the deadline is not begun",
    arguments: [(19, 1), (20, 2), (59, 2), (60, 3), (129, 3), (130, 4)], [false, true])
  func deadline(limit: (seconds: Int, attempts: Int), isSingle: Bool) throws {
    let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(10, try refusal(503))])
    let (scheduler, waits) = (scheduler, waits)
    let result = scheduler.start {
      isSingle
        ? source.asSingle()
          .retry(
            backoff: waits, maxAttempts: 4, deadline: .seconds(limit.seconds), when: isTransient,
            scheduler: scheduler
          ).asObservable()
        : source.retry(
          backoff: waits, maxAttempts: 4, deadline: .seconds(limit.seconds), when: isTransient,
          scheduler: scheduler)
    }
    #expect(source.subscriptions.map(\.subscribe) == Array([200, 220, 260, 330].prefix(limit.attempts)))
    // The last error is delivered at once.
    #expect(result.events.map(\.time) == source.subscriptions.suffix(1).map(\.unsubscribe))
  }

  @Test("an element begins the deadline anew, from the next failure on")
  func deadlineAfterElement() throws {
    let error = try refusal(503)
    let lived = scheduler.createColdObservable([.next(5, 1), .error(100, error)])
    let failed = scheduler.createColdObservable([Recorded<Event<Int>>.error(10, error)])
    var sources = [lived, failed, lived]
    let source = Observable.deferred {
      sources.isEmpty ? failed.asObservable() : sources.removeFirst().asObservable()
    }
    let result = scheduler.start(disposed: 2000) {
      source.retry(
        backoff: .constant(.seconds(10)), maxAttempts: 9, resetOnSuccess: true, deadline: .seconds(30),
        when: isTransient, scheduler: scheduler)
    }
    // The rows of failures begin at 300 and 430; the failure at 470 is too late for another wait.
    #expect(lived.subscriptions.map(\.subscribe) == [200, 330])
    #expect(failed.subscriptions.map(\.subscribe) == [310, 440, 460])
    #expect(result.events.last?.time == 470)
  }

  @Test("a failed response of a single is retried although no filter has refused it", arguments: [503, 404])
  func unfiltered(status: Int) {
    let response = Response(statusCode: status, data: Data())
    let source = scheduler.createColdObservable([.next(10, response), .completed(10)])
    let (scheduler, waits) = (scheduler, waits)
    let result = scheduler.start {
      source.asSingle().retry(backoff: waits, maxAttempts: 2, when: isTransient, scheduler: scheduler)
        .asObservable()
    }
    #expect(source.subscriptions.map(\.subscribe) == (status == 503 ? [200, 220] : [200]))
    #expect(
      result.events == [.next(status == 503 ? 230 : 210, response), .completed(status == 503 ? 230 : 210)])
  }

  @Test("uses the caller's rule, and stops when disposed")
  func rule() {
    struct OtherError: Error {}
    let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(10, OtherError())])
    let result = scheduler.start(disposed: 235) {
      source.retry(
        backoff: .constant(.seconds(5)), maxAttempts: 100, when: { $0 is OtherError }, scheduler: scheduler)
    }
    #expect(source.subscriptions == [Subscription(200, 210), Subscription(215, 225), Subscription(230, 235)])
    #expect(result.events.isEmpty)
  }

  @Test("a single that finally succeeds sends its one element")
  func single() throws {
    var attempts = 0
    let error = try refusal(500)
    let result = scheduler.start {
      Single<Int>.deferred {
        attempts += 1
        return attempts < 3 ? .error(error) : .just(attempts)
      }
      .retry(backoff: .constant(.seconds(5)), when: isTransient, scheduler: scheduler).asObservable()
    }
    #expect(result.events == [.next(210, 3), .completed(210)])
  }

  @Test("three attempts are made by default", arguments: [false, true])
  func usualAttempts(isSingle: Bool) throws {
    let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(10, try refusal(503))])
    let scheduler = scheduler
    _ = scheduler.start {
      let backoff = Backoff.constant(.seconds(5))
      return isSingle
        ? source.asSingle().retry(backoff: backoff, when: isTransient, scheduler: scheduler).asObservable()
        : source.retry(backoff: backoff, when: isTransient, scheduler: scheduler)
    }
    #expect(source.subscriptions.map(\.subscribe) == [200, 215, 230])
  }

  @Test("a number of attempts below 1 counts as 1", arguments: [0, -1, Int.min])
  func leastAttempts(maxAttempts: Int) throws {
    let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(10, try refusal(503))])
    let result = scheduler.start {
      source.retry(backoff: waits, maxAttempts: maxAttempts, when: isTransient, scheduler: scheduler)
    }
    #expect(source.subscriptions == [Subscription(200, 210)])
    #expect(result.events.map(\.time) == [210])
  }

  @Test("a minute is the longest Retry-After by default", arguments: [60, 61], [false, true])
  func usualRetryAfter(wish: Int, isSingle: Bool) throws {
    let error = try refusal(503, ["Retry-After": "\(wish)"])
    let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(10, error)])
    let (scheduler, waits) = (scheduler, waits)
    _ = scheduler.start {
      isSingle
        ? source.asSingle().retry(backoff: waits, maxAttempts: 2, when: isTransient, scheduler: scheduler)
          .asObservable()
        : source.retry(backoff: waits, maxAttempts: 2, when: isTransient, scheduler: scheduler)
    }
    #expect(source.subscriptions.map(\.subscribe) == (wish == 60 ? [200, 270] : [200]))
  }

  @Test("a single has the same options as an observable")
  func choices() throws {
    struct OtherError: Error {}
    let odd = scheduler.createColdObservable([Recorded<Event<Int>>.error(10, OtherError())])
    let late = scheduler.createColdObservable([
      Recorded<Event<Int>>.error(10, try refusal(503, ["Retry-After": "20"]))
    ])
    _ = scheduler.start(disposed: 2000) {
      odd.asSingle().retry(
        backoff: .constant(.seconds(5)), maxAttempts: 5, when: { $0 is OtherError }, scheduler: scheduler
      ).asObservable()
    }
    #expect(odd.subscriptions.map(\.subscribe) == [200, 215, 230, 245, 260])
    let result = scheduler.createObserver(Int.self)
    _ = late.asSingle().retry(
      backoff: waits, longestRetryAfter: .seconds(19), when: isTransient, scheduler: scheduler
    )
    .asObservable()
    .subscribe(result)
    scheduler.start()
    #expect(late.subscriptions.count == 1)
    #expect(result.events.count == 1)
  }

  @Test("jitter randomizes a part of a wait")
  func jitter() {
    // The default jitter is 0.5.
    for jitter in [0.5, nil] {
      let begins = attemptTimes(jitter: jitter)
      #expect(begins.allSatisfy { (250...301).contains($0) })
      #expect(Set(begins).count > 1)
    }
  }

  @Test("a jitter below 0 counts as 0, and one above 1 as 1")
  func jitterLimits() {
    #expect(attemptTimes(jitter: -3).allSatisfy { (300...301).contains($0) })
    // Without the upper bound, 99 of 100 waits would end at once; with it, about 2 do.
    #expect(attemptTimes(jitter: 100).count { $0 <= 202 } < 10)
  }

  /// Returns the times at which the second attempts begin: the first attempts fail at 200 and wait at most
  /// 100.
  private func attemptTimes(jitter: Double?) -> [Int] {
    let longest = RxTimeInterval.seconds(100)
    let backoff =
      jitter.map { Backoff.exponential(initial: longest, max: longest, jitter: $0) }
      ?? .exponential(initial: longest, max: longest)
    return attemptTimes(backoff, .underlying(TransferError.timedOut(after: .seconds(1)), nil))
  }

  /// Returns the times at which the second attempts begin, after an error at 200.
  private func attemptTimes(_ backoff: Backoff, _ error: NetworkError) -> [Int] {
    (0..<20).map { _ in
      let scheduler = TestScheduler(initialClock: 0)
      let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(0, error)])
      _ = scheduler.start {
        source.retry(backoff: backoff, maxAttempts: 2, when: isTransient, scheduler: scheduler)
      }
      return source.subscriptions.last?.subscribe ?? 0
    }
  }
}
