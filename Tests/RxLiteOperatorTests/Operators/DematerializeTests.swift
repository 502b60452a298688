import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("dematerialize")
struct DematerializeTests {
  private let scheduler = TestScheduler(initialClock: 0)

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
