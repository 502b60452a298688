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

  @Test("shareReplayLatestWhileConnected replays the latest element, and none without subscribers")
  func shareReplay() {
    let source = PublishSubject<Int>()
    let shared = source.shareReplayLatestWhileConnected()
    var elements: [Int] = []
    let first = shared.subscribe(onNext: { elements.append($0) })
    source.onNext(1)
    source.onNext(2)
    let second = shared.subscribe(onNext: { elements.append(10 * $0) })
    first.dispose()
    second.dispose()
    shared.subscribe(onNext: { elements.append(100 * $0) }).dispose()
    #expect(elements == [1, 2, 20])
  }

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

  @Test(
    "does not cache a failed response that no filter has refused",
    arguments: [(503, 2), (401, 2), (404, 2), (399, 1), (200, 1)])
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

  @Test("setting the clock back prolongs no use of a stale element")
  func clockSetBackWhileStale() {
    let clock = SettableClock(scheduler)
    scheduler.scheduleAt(220) { clock.setBack += 3_600 }
    let cached = numbered().cached(
      for: .seconds(100), staleWhileRevalidate: .seconds(50), staleIfError: .seconds(500), scheduler: clock)
    // The element is fresh until 310.
    let results = subscribers(to: cached, at: [200, 309, 311, 330])
    scheduler.start()
    #expect(
      results.compactMap(\.events.first) == [.next(210, 1), .next(309, 1), .next(311, 1), .next(330, 2)])
  }

  @Test(
    "a run in the background that never ends does not keep later subscribers from a run of their own",
    arguments: [0, 500])
  func endlessRevalidation(staleIfError: Int) {
    var runs = 0
    let cached = Single<Int>.deferred {
      runs += 1
      return runs == 2 ? .never() : .just(runs)
    }
    .cached(
      for: .seconds(100), staleWhileRevalidate: .seconds(50), staleIfError: .seconds(staleIfError),
      scheduler: scheduler)
    let results = subscribers(to: cached, at: [200, 310, 351])
    scheduler.start()
    #expect(results.compactMap(\.events.first) == [.next(200, 1), .next(310, 1), .next(351, 3)])
  }

  @Test(
    "a run in the background ends when another replaces it, or its scope is emptied",
    arguments: [false, true])
  func replacedRevalidation(isEmptied: Bool) {
    let scope = CacheScope()
    let endless = scheduler.createColdObservable([Recorded<Event<Int>>]())
    var runs = 0
    let cached = Single<Int>.deferred {
      runs += 1
      return runs == 2 ? endless.asSingle() : .just(runs)
    }
    .cached(for: .seconds(100), staleWhileRevalidate: .seconds(50), in: scope, scheduler: scheduler)
    let results = subscribers(to: cached, at: isEmptied ? [200, 310] : [200, 310, 351])
    if isEmptied { scheduler.scheduleAt(320) { scope.removeAll() } }
    scheduler.start()
    #expect(results.compactMap(\.events.first?.time) == (isEmptied ? [200, 310] : [200, 310, 351]))
    #expect(endless.subscriptions == [Subscription(310, isEmptied ? 320 : 351)])
  }

  @Test(
    "a run in the background that ends after the use of the stale element is cached if no other one began")
  func lateRevalidation() {
    let source = scheduler.createColdObservable([.next(30, 1), .completed(30)])
    let cached = source.asSingle().cached(
      for: .seconds(100), staleWhileRevalidate: .seconds(20), scheduler: scheduler)
    // The first element is stored at 230, and no longer used from 350 on; the run of 345 ends at 375.
    let results = subscribers(to: cached, at: [200, 345, 380])
    scheduler.start()
    #expect(results.compactMap(\.events.first?.time) == [230, 345, 380])
    #expect(source.subscriptions.count == 2)
  }

  @Test("an element that is cached for ever has no timer")
  func forEver() {
    var runs = 0
    let cached = Single<Int>.deferred {
      runs += 1
      return .just(runs)
    }
    // This scheduler runs each timer at once.
    .cached(for: .never, scheduler: ImmediateScheduler())
    var elements: [Int] = []
    for _ in 0..<2 { _ = cached.subscribe(onSuccess: { elements.append($0) }) }
    #expect(elements == [1, 1])
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

  /// A source that sends the number of its run after ten seconds, or fails.
  private func outcomes(_ failures: [Int: any Error]) -> Single<Int> {
    numbered().map { number in
      if let error = failures[number] { throw error }
      return number
    }
  }

  private let unavailable = NetworkError.statusCode(Response(statusCode: 503, data: Data()))

  @Test("a stale element is sent at once while the source runs in the background, for a time")
  func staleWhileRevalidate() {
    let cached = outcomes([2: unavailable, 3: RxError.unknown]).cached(
      for: .seconds(100), staleWhileRevalidate: .seconds(50), scheduler: scheduler)
    // The lifetime ends at 310, and the use of the stale element at 360.
    let results = subscribers(to: cached, at: [200, 309, 310, 315, 325, 340, 355, 366, 470, 530])
    scheduler.start()
    #expect(
      results.compactMap(\.events.first) == [
        .next(210, 1), .next(309, 1),
        // Each failed run is followed by another one.
        .next(310, 1), .next(315, 1), .next(325, 1), .next(340, 1), .next(355, 4),
        .next(366, 4), .next(470, 4), .next(530, 5),
      ])
  }

  @Test("the timer of a stale element ends when another element replaces it")
  func replacedTimer() {
    let scope = CacheScope()
    let cached = numbered().cached(
      for: .seconds(100), staleWhileRevalidate: .seconds(50), in: scope, scheduler: scheduler)
    let results = subscribers(to: cached, at: [200, 320])
    scheduler.advanceTo(340)
    #expect(results.compactMap(\.events.first) == [.next(210, 1), .next(320, 1)])
    #expect(!scheduler.debugDescription.hasSuffix("pending: [])"))
    scope.removeAll()
    #expect(scheduler.debugDescription.hasSuffix("pending: [])"))
  }

  @Test("a stale element is sent in place of a failure that may pass, for a time")
  func staleIfError() {
    let refusal = NetworkError.underlying(TransferError.circuitOpen(timeUntilProbe: .seconds(9)), nil)
    let cached = outcomes([2: unavailable, 3: RxError.unknown, 4: refusal, 5: unavailable]).cached(
      for: .seconds(100), staleIfError: .seconds(90), scheduler: scheduler)
    // The lifetime ends at 310, and the use of the stale element at 400.
    let results = subscribers(to: cached, at: [200, 310, 330, 350, 390, 410])
    scheduler.start()
    #expect(
      results.compactMap(\.events.first) == [
        .next(210, 1), .next(320, 1), .error(340, RxError.unknown), .next(360, 1), .error(400, unavailable),
        .next(420, 6),
      ])
    #expect(scheduler.debugDescription.hasSuffix("pending: [])"))
  }

  @Test("a stale element is not sent after its scope has been emptied")
  func emptiedStaleElement() {
    let scope = CacheScope()
    let cached = outcomes([2: unavailable]).cached(
      for: .seconds(100), staleIfError: .seconds(90), in: scope, scheduler: scheduler)
    let results = subscribers(to: cached, at: [200, 320])
    scheduler.scheduleAt(325) { scope.removeAll() }
    scheduler.start()
    #expect(results.compactMap(\.events.first) == [.next(210, 1), .error(330, unavailable)])
  }

  @Test("a stale response is sent in place of a 503 that no filter has refused")
  func staleIfFailedResponse() {
    var statuses = [200, 503, 404, 503].makeIterator()
    let cached = Single<Response>.deferred { .just(Response(statusCode: statuses.next() ?? 0, data: Data())) }
      .cached(for: .seconds(100), staleIfError: .seconds(50), scheduler: scheduler)
    var received: [Int] = []
    for time in [200, 300, 310, 320] {
      scheduler.scheduleAt(time) { _ = cached.subscribe(onSuccess: { received.append($0.statusCode) }) }
    }
    scheduler.start()
    #expect(received == [200, 200, 404, 200])
  }

  @Test("the element of a run after the scope was emptied does not replace the failure of an earlier run")
  func laterElement() {
    let (scope, scheduler, unavailable) = (CacheScope(), scheduler, unavailable)
    var runs = 0
    let source = Single<Int>.deferred {
      runs += 1
      let run = runs
      return Single<Int>.timer(.seconds(run == 2 ? 30 : 10), scheduler: scheduler).map { _ in
        if run == 2 { throw unavailable }
        return run
      }
    }
    let cached = source.cached(
      for: .seconds(100), staleIfError: .seconds(90), in: scope, scheduler: scheduler)
    let results = subscribers(to: cached, at: [200, 320, 326])
    scheduler.scheduleAt(325) { scope.removeAll() }
    scheduler.start()
    #expect(results.compactMap(\.events.first) == [.next(210, 1), .error(350, unavailable), .next(336, 3)])
  }

  @Test("a stale element is not sent if its scope is emptied while the source starts in the background")
  func emptiedDuringRevalidation() {
    let scope = CacheScope()
    var runs = 0
    let cached = Single<Int>.deferred {
      runs += 1
      if runs == 2 { scope.removeAll() }
      return .just(runs)
    }
    .cached(for: .seconds(100), staleWhileRevalidate: .seconds(50), in: scope, scheduler: scheduler)
    let results = subscribers(to: cached, at: [200, 310, 320])
    scheduler.start()
    #expect(results.compactMap(\.events.first) == [.next(200, 1), .next(310, 2), .next(320, 3)])
  }

  @Test("a stale element is not replaced by one stored after the scope was emptied")
  func filledDuringRevalidation() {
    let scope = CacheScope()
    var runs = 0
    var next: (() -> Single<Int>)?
    let cached = Single<Int>.deferred {
      runs += 1
      let number = runs
      if number == 2 {
        scope.removeAll()
        _ = next?().subscribe(onSuccess: { #expect($0 == 3) })
      }
      return .just(number)
    }
    .cached(for: .seconds(100), staleWhileRevalidate: .seconds(50), in: scope, scheduler: scheduler)
    next = { cached }
    let results = subscribers(to: cached, at: [200, 310, 320])
    scheduler.start()
    #expect(results.compactMap(\.events.first) == [.next(200, 1), .next(310, 2), .next(320, 3)])
    next = nil
  }

  @Test("a run goes on while any of its subscribers remains, and later ones join it")
  func remainingSubscriber() {
    let cached = numbered().cached(for: .seconds(100), key: 1, in: CacheScope(), scheduler: scheduler)
    var first: (any Disposable)?
    scheduler.scheduleAt(200) { first = cached.subscribe(onSuccess: { _ in }) }
    scheduler.scheduleAt(206) { first?.dispose() }
    let results = subscribers(to: cached, at: [205, 207])
    scheduler.start()
    #expect(results.compactMap(\.events.first) == [.next(210, 1), .next(210, 1)])
  }

  /// A rule that lets no subscriber start a shared sequence.
  private struct Refusal: SubscriptionRule {
    func ruleForSharedSource(isForeign: Bool) throws -> (any SubscriptionRule)? { throw RxError.unknown }
  }

  @Test("a scope retains nothing for a key if the subscriber must not start the source")
  func refusedStart() {
    let (scope, count) = (CacheScope(), TrackedObject.LiveCount())
    func subscribe() -> (any Error)? {
      let tracked = TrackedObject(count)
      var failure: (any Error)?
      _ = Single<TrackedObject>.just(tracked)
        .cached(for: .seconds(100), key: 1, in: scope, scheduler: scheduler).asObservable()
        .withContext { SubscriptionContext(Refusal(), within: $0) }
        .subscribe(onError: { failure = $0 })
      return failure
    }
    #expect(subscribe() is RxError)
    #expect(count.value == 0)
  }

  /// An element whose release runs code.
  private final class Releasing {
    private let action: () -> Void
    init(_ action: @escaping () -> Void) { self.action = action }
    deinit { action() }
  }

  @Test("a subscriber of a key brings its own source after the scope was emptied, even during that")
  func sourceAfterEmptying() {
    let (scope, scheduler) = (CacheScope(), scheduler)
    var elements: [Int] = []
    func subscribe(_ number: Int, _ onRelease: @escaping () -> Void) {
      _ = Single.deferred { .just((number, Releasing(onRelease))) }
        .cached(for: .seconds(100), key: 1, in: scope, scheduler: scheduler)
        .subscribe(onSuccess: { elements.append($0.0) })
    }
    subscribe(1) { subscribe(2) {} }
    subscribe(3) {}
    scope.removeAll()
    subscribe(4) {}
    #expect(elements == [1, 1, 2, 2])
  }

  @Test("a scope that is emptied while a subscriber looks for its cache keeps that from later subscribers")
  func emptiedDuringLookup() {
    let (scope, clock) = (CacheScope(), SettableClock(scheduler))
    var elements: [Int] = []
    func subscribe(_ number: Int) {
      _ = Single.just(number).cached(for: .seconds(100), key: 1, in: scope, scheduler: clock)
        .subscribe(onSuccess: { elements.append($0) })
    }
    clock.beforeReading = {
      scope.removeAll()
      subscribe(2)
    }
    subscribe(1)
    #expect(elements == [2, 1])
  }

  @Test("the element of a key is shared by all singles of the scope with that key and type")
  func keys() {
    let (scope, scheduler, source) = (CacheScope(), scheduler, numbered())
    func single(_ key: String) -> Single<Int> {
      source.cached(for: .seconds(100), key: key, in: scope, scheduler: scheduler)
    }
    let results = [(200, "a"), (205, "a"), (206, "b"), (250, "a"), (250, "b"), (310, "a"), (330, "a")].map {
      time, key in
      let observer = scheduler.createObserver(Int.self)
      scheduler.scheduleAt(time) { _ = single(key).asObservable().subscribe(observer) }
      return observer
    }
    let text = scheduler.createObserver(String.self)
    scheduler.scheduleAt(250) {
      _ = source.map { "\($0)" }.cached(for: .seconds(9), key: "a", in: scope, scheduler: scheduler)
        .asObservable().subscribe(text)
    }
    scheduler.scheduleAt(325) { scope.removeAll() }
    scheduler.start()
    #expect(
      results.compactMap(\.events.first) == [
        .next(210, 1), .next(210, 1), .next(216, 2), .next(250, 1), .next(250, 2), .next(320, 4),
        .next(340, 5),
      ])
    #expect(text.events.first == .next(260, "3"))
  }

  @Test("the stale element of a key is used while a new one is requested, or in place of an error")
  func staleKeys() {
    let (scope, scheduler) = (CacheScope(), scheduler)
    let revalidated = numbered().cached(
      for: .seconds(100), key: "a", in: scope, staleWhileRevalidate: .seconds(50), scheduler: scheduler)
    let replacing = outcomes([2: unavailable]).cached(
      for: .seconds(100), key: "b", in: scope, staleIfError: .seconds(50), scheduler: scheduler)
    // The lifetimes end at 310.
    let atOnce = subscribers(to: revalidated, at: [200, 320])
    let later = subscribers(to: replacing, at: [200, 320])
    scheduler.start()
    #expect(atOnce.compactMap(\.events.first) == [.next(210, 1), .next(320, 1)])
    #expect(later.compactMap(\.events.first) == [.next(210, 1), .next(330, 1)])
  }

  @Test("a scope retains nothing for a key without an element and a run", arguments: [0, 1, 2, 3])
  func keyIsReleased(way: Int) {
    let (scope, count) = (CacheScope(), TrackedObject.LiveCount())
    let scheduler = scheduler
    func subscribe() -> any Disposable {
      let tracked = TrackedObject(count)
      return Single<Int>.timer(.seconds(10), scheduler: scheduler).map { _ in
        if way == 0 { throw RxError.unknown }
        return tracked
      }
      .cached(for: .seconds(100), key: 1, in: scope, scheduler: scheduler).subscribe(onFailure: { _ in })
    }
    let subscription = subscribe()
    #expect(count.value == 1)
    switch way {
    case 1: subscription.dispose()
    case 2:
      scheduler.advanceTo(50)
      #expect(count.value == 1)
      scope.removeAll()
    default: scheduler.start()
    }
    #expect(count.value == 0)
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
