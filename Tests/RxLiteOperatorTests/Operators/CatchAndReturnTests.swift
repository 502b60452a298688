import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("catchAndReturn")
struct CatchAndReturnTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("it completes with an element instead of the error")
  func replacesError() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .error(230, TestError.one), .next(240, 8))
    let observer = scheduler.start { source.catchAndReturn(9) }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .next(230, 9), .completed(230)])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }
}
