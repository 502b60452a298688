import Dispatch
import Foundation
import ReactiveNetwork
import RxLite
import RxLiteTesting
import Testing

@Suite("throttleRequests(max:per:)")
struct ThrottleRequestsTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("lets so many through in any span, drops none and keeps the order")
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

  @Test("a clock that is set back by an hour does not add to the waiting time")
  func clockSetBack() {
    let clock = SetBackScheduler(scheduler)
    let source = scheduler.createHotObservable([.next(210, 1), .next(211, 2), .next(213, 3), .completed(214)])
    scheduler.scheduleAt(220) { clock.setBack += 3_600 }
    let result = scheduler.start(disposed: 10_000) {
      source.throttleRequests(max: 1, per: .seconds(20), scheduler: clock)
    }
    #expect(result.events == [.next(210, 1), .next(230, 2), .next(250, 3), .completed(250)])
  }

  @Test("an error does not wait, and a dispose drops what does")
  func ends() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(211, 2), .error(212, RxError.unknown)])
    let result = scheduler.start { source.throttleRequests(max: 1, per: .seconds(50), scheduler: scheduler) }
    #expect(result.events.map(\.time) == [210, 212])
    let disposed = scheduler.createObserver(Int.self)
    let subscription = Observable.of(1, 2)
      .throttleRequests(max: 1, per: .seconds(50), scheduler: scheduler).subscribe(disposed)
    subscription.dispose()
    scheduler.start()
    #expect(disposed.events.map(\.value.element) == [1])
  }
}

/// A scheduler whose clock can be set back, as a system's clock can; its timers count on.
private final class SetBackScheduler: SchedulerType {
  private let scheduler: TestScheduler
  /// By how many seconds the clock was set back.
  var setBack = 0.0

  init(_ scheduler: TestScheduler) {
    self.scheduler = scheduler
  }

  var now: RxTime { scheduler.now.addingTimeInterval(-setBack) }

  func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    scheduler.schedule(state, action: action)
  }

  func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    scheduler.scheduleRelative(state, dueTime: dueTime, action: action)
  }
}
