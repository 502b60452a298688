import RxLite
import RxLiteTesting
import Testing

@Suite("TestableObservable")
struct TestableObservableTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("a hot sequence delivers to the current observers")
  func hot() {
    let source = scheduler.createHotObservable([.next(10, 1), .next(20, 2), .next(30, 3)])
    let (early, late) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
    let subscriptions = CompositeDisposable()
    scheduler.scheduleAt(5) { _ = subscriptions.insert(source.subscribe(early)) }
    scheduler.scheduleAt(15) { _ = subscriptions.insert(source.subscribe(late)) }
    scheduler.scheduleAt(25) { subscriptions.dispose() }
    scheduler.start()
    #expect(early.events == [.next(10, 1), .next(20, 2)])
    #expect(late.events == [.next(20, 2)])
    #expect(source.subscriptions == [Subscription(5, 25), Subscription(15, 25)])
  }

  @Test("an observer that subscribes to a hot sequence during an event does not receive it")
  func hotReentrant() {
    let source = scheduler.createHotObservable([.next(10, 1), .next(20, 2)])
    let late = scheduler.createObserver(Int.self)
    let first = source.subscribe(
      AnyObserver { event in if event.element == 1 { _ = source.subscribe(late) } })
    scheduler.start()
    first.dispose()
    #expect(late.events == [.next(20, 2)])
    #expect(source.subscriptions == [Subscription(0, 20), Subscription(10)])
  }

  @Test("a cold sequence starts anew for each subscription")
  func cold() {
    let source = scheduler.createColdObservable([.next(0, 0), .next(10, 1), .completed(20)])
    let (first, second) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
    scheduler.scheduleAt(100) { _ = source.subscribe(first) }
    scheduler.scheduleAt(105) {
      let subscription = source.subscribe(second)
      self.scheduler.scheduleAt(117, action: subscription.dispose)
    }
    scheduler.start()
    #expect(first.events == [.next(100, 0), .next(110, 1), .completed(120)])
    #expect(second.events == [.next(105, 0), .next(115, 1)])
    #expect(source.subscriptions == [Subscription(100), Subscription(105, 117)])
  }

  @Test("a subscription ends once")
  func disposedTwice() {
    let source = scheduler.createColdObservable([.next(10, 1)])
    let subscription = source.subscribe(scheduler.createObserver(Int.self))
    scheduler.advanceTo(5)
    subscription.dispose()
    scheduler.advanceTo(7)
    subscription.dispose()
    #expect(source.subscriptions == [Subscription(0, 5)])
  }

  @Test("events are sent and kept as given, even against the grammar")
  func raw() {
    let events: [Recorded<Event<Int>>] = [.completed(10), .next(20, 1)]
    let (hot, cold) = (scheduler.createHotObservable(events), scheduler.createColdObservable(events))
    let (first, second) = (scheduler.createObserver(Int.self), scheduler.createObserver(Int.self))
    _ = hot.subscribe(first)
    _ = cold.subscribe(second)
    scheduler.start()
    #expect(first.events == events)
    #expect(second.events == events)
    #expect(hot.recordedEvents == events)
    #expect(cold.recordedEvents == events)
  }

  @Test("the clock runs to the last event of a cold sequence, although it was disposed")
  func clock() {
    let observer = scheduler.start(disposed: 300) {
      scheduler.createColdObservable([.next(10, 1), .next(500, 2)])
    }
    #expect(observer.events == [.next(210, 1)])
    #expect(scheduler.clock == 700)
  }
}
