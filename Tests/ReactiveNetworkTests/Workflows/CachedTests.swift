import Dispatch
import Foundation
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

@Suite("cached(for:)")
struct CachedTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("shares the run, then the element until it expires")
  func lifetime() {
    var runs = 0
    let scheduler = scheduler
    let source = Single<Int>.deferred {
      runs += 1
      let run = runs
      return Single<Int>.timer(.seconds(10), scheduler: scheduler).map { _ in run }
    }
    let cached = source.cached(for: .seconds(100), scheduler: scheduler)
    let results = [200, 205, 250, 309, 310].map { start in
      let observer = scheduler.createObserver(Int.self)
      scheduler.scheduleAt(start) { _ = cached.asObservable().subscribe(observer) }
      return observer
    }
    scheduler.start()
    let expected: [Recorded<Event<Int>>] = [
      .next(210, 1), .next(210, 1), .next(250, 1), .next(309, 1), .next(320, 2),
    ]
    #expect(results.compactMap(\.events.first) == expected)
    #expect(runs == 2)
  }

  @Test("does not cache errors, and ends a run without subscribers")
  func errors() {
    let source = scheduler.createColdObservable([Recorded<Event<Int>>.error(10, RxError.unknown)])
    let cached = source.asSingle().cached(for: .seconds(100), scheduler: scheduler)
    for (start, end) in [(200, 205), (210, 215), (220, 300)] {
      var subscription: (any Disposable)?
      scheduler.scheduleAt(start) { subscription = cached.subscribe(onFailure: { _ in }) }
      scheduler.scheduleAt(end) { subscription?.dispose() }
    }
    scheduler.start()
    #expect(source.subscriptions == [Subscription(200, 205), Subscription(210, 215), Subscription(220, 230)])
  }

  @Test("does not cache a response that a retry would repeat", arguments: [(503, 2), (404, 1), (200, 1)])
  func failedResponse(status: Int, runs expected: Int) {
    var runs = 0
    let cached = Single<Response>.deferred {
      runs += 1
      return .just(Response(statusCode: status, data: Data()))
    }
    .cached(for: .seconds(100), scheduler: scheduler)
    var statuses: [Int] = []
    for _ in 0..<2 { _ = cached.subscribe(onSuccess: { statuses.append($0.statusCode) }) }
    #expect(statuses == [status, status])
    #expect(runs == expected)
  }

  /// Subscribes at the given times and records the first event of each.
  private func subscribers(to cached: Single<Int>, at times: [Int]) -> [TestableObserver<Int>] {
    times.map { start in
      let observer = scheduler.createObserver(Int.self)
      scheduler.scheduleAt(start) { _ = cached.asObservable().subscribe(observer) }
      return observer
    }
  }

  /// A source that counts its runs and sends the number of each after ten seconds.
  private func numbered() -> Single<Int> {
    let scheduler = scheduler
    var runs = 0
    return Single<Int>.deferred {
      runs += 1
      let run = runs
      return Single<Int>.timer(.seconds(10), scheduler: scheduler).map { _ in run }
    }
  }

  @Test("setting the clock back does not prolong the lifetime")
  func clockSetBack() {
    let clock = SettableClock(scheduler)
    scheduler.scheduleAt(220) { clock.setBack += 3_600 }
    let results = subscribers(
      to: numbered().cached(for: .seconds(100), scheduler: clock), at: [200, 309, 311])
    scheduler.start()
    #expect(results.compactMap(\.events.first) == [.next(210, 1), .next(309, 1), .next(321, 2)])
  }

  @Test(
    "a subscriber that finds an expired element while another one starts a new run receives the new element")
  func renewedMeanwhile() throws {
    let clock = SettableClock(scheduler)
    var runs = 0
    let source = Single<Int>.deferred {
      runs += 1
      return .just(runs)
    }
    let cached = source.cached(for: .seconds(100), scheduler: clock)
    var elements: [Int] = []
    func subscribe() { _ = cached.subscribe(onSuccess: { elements.append($0) }) }
    subscribe()
    clock.setBack -= 200
    clock.beforeReading = subscribe
    subscribe()
    #expect(elements == [1, 2, 2])
    #expect(runs == 2)
  }

  @Test("the element is released at the end of its lifetime, and with the single")
  func release() {
    let count = TrackedObject.LiveCount()
    var cached: Single<TrackedObject>? = Single.deferred { .just(TrackedObject(count)) }
      .cached(for: .seconds(100), scheduler: scheduler)
    func subscribe() { _ = cached?.subscribe(onSuccess: { _ in }) }
    scheduler.scheduleAt(200, action: subscribe)
    scheduler.advanceTo(299)
    #expect(count.value == 1)
    scheduler.advanceTo(300)
    #expect(count.value == 0)
    subscribe()
    #expect(count.value == 1)
    cached = nil
    #expect(count.value == 0)
    #expect(scheduler.debugDescription.hasSuffix("pending: [])"))
  }

  @Test("an expired element whose timer is late leaves no timer behind")
  func lateTimer() {
    var runs = 0
    let cached = Single<Int>.deferred {
      runs += 1
      return runs == 1 ? .just(1) : .never()
    }
    .cached(for: .seconds(100), scheduler: scheduler)
    _ = cached.subscribe()
    #expect(!scheduler.debugDescription.hasSuffix("pending: [])"))
    // The clock advances, but no timer fires.
    scheduler.sleep(100)
    let subscription = cached.subscribe()
    #expect(runs == 2)
    #expect(scheduler.debugDescription.hasSuffix("pending: [])"))
    subscription.dispose()
  }

  @Test("a scope empties all its caches, and an earlier run does not fill a cache")
  func scope() {
    let scope = CacheScope()
    let source = numbered()
    let caches = (0..<3).map { _ in source.cached(for: .seconds(100), in: scope, scheduler: scheduler) }
    let first = subscribers(to: caches[0], at: [200, 220, 230, 241])
    let second = subscribers(to: caches[1], at: [218, 221, 230])
    let third = subscribers(to: caches[2], at: [217, 260])
    scheduler.scheduleAt(219) { scope.removeAll() }
    scheduler.start()
    #expect(
      first.compactMap(\.events.first) == [.next(210, 1), .next(230, 4), .next(230, 4), .next(241, 4)])
    // The waiting subscriber receives the element of the run that it started, and the next one starts a run.
    #expect(second.compactMap(\.events.first) == [.next(228, 3), .next(231, 5), .next(231, 5)])
    #expect(third.compactMap(\.events.first) == [.next(227, 2), .next(270, 6)])
  }

  @Test("a run that began before its scope was emptied, and fails, does not end the sharing of the next run")
  func emptiedRunFails() {
    let (scope, scheduler) = (CacheScope(), scheduler)
    var runs = 0
    let source = Single<Int>.deferred {
      runs += 1
      let run = runs
      return Single<Int>.timer(.seconds(30), scheduler: scheduler).map { _ in
        if run == 1 { throw RxError.unknown }
        return run
      }
    }
    let results = subscribers(
      to:
        source.cached(for: .seconds(100), in: scope, scheduler: scheduler), at: [200, 220, 235])
    scheduler.scheduleAt(210) { scope.removeAll() }
    scheduler.start()
    #expect(
      results.compactMap(\.events.first) == [.error(230, RxError.unknown), .next(250, 2), .next(250, 2)])
    #expect(runs == 2)
  }

  @Test("a scope releases the elements that it removes, and retains no cache")
  func scopeReleases() {
    let (scope, count) = (CacheScope(), TrackedObject.LiveCount())
    var cached: Single<TrackedObject>? = Single.deferred { .just(TrackedObject(count)) }
      .cached(for: .seconds(100), in: scope, scheduler: scheduler)
    _ = cached?.subscribe(onSuccess: { _ in })
    #expect(count.value == 1)
    scope.removeAll()
    #expect(count.value == 0)
    #expect(scheduler.debugDescription.hasSuffix("pending: [])"))
    _ = cached?.subscribe(onSuccess: { _ in })
    #expect(count.value == 1)
    cached = nil
    #expect(count.value == 0)
    scope.removeAll()
  }
}
