import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("materialize")
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
}
