import Dispatch
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

@Suite("cached(for:)")
struct CachedTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("shares the run, then the element until it is too old")
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

  @Test("does not keep errors, and ends a run that nobody waits for")
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
}
