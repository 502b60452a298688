import Dispatch
import Foundation
import NetworkCore
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

@Suite("throttleRequests(max:per:)")
struct ThrottleRequestsTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("forwards at most the maximum in any span, drops nothing and keeps the order")
  func spans() {
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(211, 2), .next(212, 3), .next(213, 4), .next(214, 5), .next(300, 6),
      .completed(301),
    ])
    let result = scheduler.start { source.throttleRequests(max: 2, per: .seconds(20), scheduler: scheduler) }
    let expected: [Recorded<Event<Int>>] = [
      .next(210, 1), .next(211, 2), .next(230, 3), .next(231, 4), .next(250, 5), .next(300, 6),
      .completed(301),
    ]
    #expect(result.events == expected)
  }

  @Test("a maximum below one counts as one", arguments: [-3, 0, 1])
  func least(max: Int) {
    let source = scheduler.createHotObservable([.next(210, 1), .next(210, 2), .completed(210)])
    let result = scheduler.start { source.throttleRequests(max: max, per: .seconds(5), scheduler: scheduler) }
    #expect(result.events == [.next(210, 1), .next(215, 2), .completed(215)])
  }

  @Test("each subscription counts its own elements")
  func subscriptions() {
    let throttled = Observable.just(1).throttleRequests(max: 1, per: .seconds(50), scheduler: scheduler)
    let observers = (0..<2).map { _ in scheduler.createObserver(Int.self) }
    for observer in observers { _ = throttled.subscribe(observer) }
    for observer in observers { #expect(observer.events == [.next(0, 1), .completed(0)]) }
  }

  @Test(
    "setting the clock, back or forward, does not change when elements are forwarded",
    arguments: [3_600.0, -3_600])
  func setClock(by seconds: Double) {
    let clock = SettableClock(scheduler)
    let source = scheduler.createHotObservable([.next(210, 1), .next(211, 2), .next(213, 3), .completed(214)])
    for time in [212, 220] { scheduler.scheduleAt(time) { clock.setBack += seconds } }
    let result = scheduler.start(disposed: 10_000) {
      source.throttleRequests(max: 1, per: .seconds(20), scheduler: clock)
    }
    #expect(result.events == [.next(210, 1), .next(230, 2), .next(250, 3), .completed(250)])
  }

  /// A scheduler whose live timers are counted.
  private struct TimerCountingScheduler: SchedulerType {
    let scheduler: TestScheduler
    let count: TrackedObject.LiveCount

    var now: RxTime { scheduler.now }

    func schedule<StateType>(
      _ state: StateType, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
      scheduler.schedule(state, action: action)
    }

    func scheduleRelative<StateType>(
      _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
    ) -> any Disposable {
      let (timer, tracked) = (
        scheduler.scheduleRelative(state, dueTime: dueTime, action: action), TrackedObject(count)
      )
      return Disposables.create { withExtendedLifetime(tracked) { timer.dispose() } }
    }
  }

  @Test("a timer is released when its span is over, not with the subscription")
  func releasedTimers() {
    let count = TrackedObject.LiveCount()
    let elements = PublishSubject<Int>()
    let subscription = elements.throttleRequests(
      max: 2, per: .seconds(20), scheduler: TimerCountingScheduler(scheduler: scheduler, count: count)
    ).subscribe()
    for element in 0..<10 {
      elements.onNext(element)
      #expect(count.value == 1)
      scheduler.start()
      #expect(count.value == 0)
    }
    subscription.dispose()
  }

  @Test("an element waits for the end of a span, however long that takes")
  func longSpan() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(211, 2), .completed(212)])
    let result = scheduler.start {
      source.throttleRequests(max: 1, per: .seconds(600), scheduler: scheduler)
    }
    #expect(result.events == [.next(210, 1), .next(810, 2), .completed(810)])
  }

  @Test("a span of zero delays nothing")
  func noSpan() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(210, 2), .completed(210)])
    let result = scheduler.start {
      source.throttleRequests(max: 1, per: .seconds(0), scheduler: scheduler)
    }
    #expect(result.events == [.next(210, 1), .next(210, 2), .completed(210)])
  }

  @Test("after a pause, as many elements as the maximum are forwarded at once, and no more")
  func unused() {
    let source = scheduler.createHotObservable((400..<406).map { .next($0, $0) })
    let result = scheduler.start { source.throttleRequests(max: 3, per: .seconds(20), scheduler: scheduler) }
    #expect(result.events.map(\.time) == [400, 401, 402, 420, 421, 422])
  }

  @Test("an error does not wait, and a dispose drops the waiting elements")
  func ends() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(211, 2), .error(212, RxError.unknown)])
    let result = scheduler.start { source.throttleRequests(max: 1, per: .seconds(50), scheduler: scheduler) }
    #expect(result.events.map(\.time) == [210, 212])
    let disposed = scheduler.createObserver(Int.self)
    let subscription = Observable.of(1, 2)
      .throttleRequests(max: 1, per: .seconds(50), scheduler: scheduler).subscribe(disposed)
    subscription.dispose()
    #expect(scheduler.debugDescription.hasSuffix("pending: [])"))
    scheduler.start()
    #expect(disposed.events.map(\.value.element) == [1])
  }

  @Test("a span begins with a delivery, however long the delivery takes")
  func slowObserver() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(211, 2)])
    let scheduler = scheduler
    let result = scheduler.start {
      source.throttleRequests(max: 1, per: .seconds(20), scheduler: scheduler)
        .do(afterNext: { if $0 == 1 { scheduler.sleep(8) } })
    }
    #expect(result.events == [.next(210, 1), .next(230, 2)])
  }

  @Test(
    "an element that exceeds the queue ends the sequence, and drops the waiting elements",
    arguments: [(2, 214), (0, 212), (-3, 212)])
  func bound(maxWaiting: Int, end: Int) {
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(211, 2), .next(212, 3), .next(213, 4), .next(214, 5), .next(215, 6),
    ])
    let result = scheduler.start {
      source.throttleRequests(max: 2, per: .seconds(20), maxWaiting: maxWaiting, scheduler: scheduler)
    }
    #expect(result.events.map(\.time) == [210, 211, end])
    #expect(result.events.last?.value.error.refusal == .queueFull(maxWaiting: max(0, maxWaiting)))
    #expect(source.subscriptions == [Subscription(200, end)])
  }

  @Test("forwarded elements no longer count as waiting")
  func boundAgain() {
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(211, 2), .next(235, 3), .next(236, 4), .next(300, 5), .completed(301),
    ])
    let result = scheduler.start {
      source.throttleRequests(max: 1, per: .seconds(20), maxWaiting: 2, scheduler: scheduler)
    }
    #expect(
      result.events == [
        .next(210, 1), .next(230, 2), .next(250, 3), .next(270, 4), .next(300, 5), .completed(301),
      ])
  }
}
