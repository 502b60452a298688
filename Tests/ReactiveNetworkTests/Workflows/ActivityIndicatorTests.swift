import Dispatch
import ReactiveNetworkLock
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

@Suite("ActivityIndicator")
struct ActivityIndicatorTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("counts active subscriptions, however they end")
  func counts() {
    let activity = ActivityIndicator()
    let answer = scheduler.createColdObservable([.next(30, 1), .completed(30)])
    let failure = scheduler.createColdObservable([Recorded<Event<Int>>.error(30, RxError.unknown)])
    let never = scheduler.createColdObservable([Recorded<Event<Int>>]())
    let counts = scheduler.createObserver(Int.self), spinner = scheduler.createObserver(Bool.self)
    _ = activity.inFlight.subscribe(counts)
    _ = activity.asObservable().subscribe(spinner)
    scheduler.scheduleAt(10) { _ = answer.asSingle().trackActivity(activity).subscribe() }
    scheduler.scheduleAt(20) { _ = failure.trackActivity(activity).subscribe(onError: { _ in }) }
    var waiting: (any Disposable)?
    scheduler.scheduleAt(30) { waiting = never.trackActivity(activity).subscribe() }
    scheduler.scheduleAt(60) { waiting?.dispose() }
    scheduler.start()
    #expect(
      counts.events == [
        .next(0, 0), .next(10, 1), .next(20, 2), .next(30, 3), .next(40, 2), .next(50, 1), .next(60, 0),
      ])
    #expect(spinner.events == [.next(0, false), .next(10, true), .next(60, false)])
  }

  @Test("counts a sequence that ends during its subscription")
  func synchronous() {
    let activity = ActivityIndicator()
    var counts: [Int] = []
    let subscription = activity.inFlight.subscribe(onNext: { counts.append($0) })
    var during: [Int] = []
    Observable.just(1).trackActivity(activity).subscribe(onNext: { _ in during += counts.suffix(1) })
      .dispose()
    Single.just(1).trackActivity(activity).subscribe(onSuccess: { _ in during += counts.suffix(1) }).dispose()
    subscription.dispose()
    #expect(during == [1, 1])
    #expect(counts == [0, 1, 0, 1, 0])
  }

  @Test("is correct after many threads have used it")
  func threads() {
    let activity = ActivityIndicator()
    let latest = Lock(-1)
    let subscription = activity.inFlight.subscribe(onNext: { count in latest.withLock { $0 = count } })
    DispatchQueue.concurrentPerform(iterations: 200) { _ in
      _ = Observable.just(1).trackActivity(activity).subscribe()
      Observable<Int>.never().trackActivity(activity).subscribe().dispose()
    }
    #expect(latest.withLock { $0 } == 0)
    subscription.dispose()
  }
}
