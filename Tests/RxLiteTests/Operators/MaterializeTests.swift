import RxLite
import RxLiteTesting
import Testing

@Suite("materialize and dematerialize")
struct MaterializeTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("events become elements, including the stop event", arguments: [false, true])
  func materializes(fails: Bool) {
    let stop: Event<Int> = fails ? .error(TestError.one) : .completed
    let source = scheduler.hot(.next(150, 9), .next(210, 1), Recorded(time: 250, value: stop))
    let observer = scheduler.start { source.materialize() }
    #expect(observer.events == [.next(210, .next(1)), .next(250, stop), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("the first stop event among the elements ends it", arguments: [false, true])
  func dematerializes(fails: Bool) {
    let stop: Event<Int> = fails ? .error(TestError.one) : .completed
    let source = scheduler.createHotObservable([
      .next(210, Event.next(1)), .next(220, stop), .next(230, .next(2)), .completed(250),
    ])
    #expect(
      scheduler.start { source.dematerialize() }.events == [
        .next(210, 1), Recorded(time: 220, value: stop),
      ])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("the source may end by itself", arguments: [false, true])
  func sourceEnds(fails: Bool) {
    let stop: Event<Event<Int>> = fails ? .error(TestError.one) : .completed
    let source = scheduler.createHotObservable([.next(210, .next(1)), Recorded(time: 250, value: stop)])
    #expect(
      scheduler.start { source.dematerialize() }.events == [
        .next(210, 1), fails ? .error(250, TestError.one) : .completed(250),
      ])
  }
}
