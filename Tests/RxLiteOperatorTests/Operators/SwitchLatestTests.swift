import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("switchLatest")
struct SwitchLatestTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("a newer element disposes the previous inner sequence")
  func switches() {
    let outer = scheduler.hot(.next(210, 0), .next(250, 1), .completed(300))
    let inner = [
      scheduler.cold(.next(10, 1), .next(50, 2), .completed(60)),
      scheduler.cold(.next(10, 3), .next(100, 4), .completed(120)),
    ]
    let observer = scheduler.start { outer.map { inner[$0] }.switchLatest() }
    #expect(observer.events == [.next(220, 1), .next(260, 3), .next(350, 4), .completed(370)])
    #expect(outer.subscriptions == [Subscription(200, 300)])
    #expect(inner[0].subscriptions == [Subscription(210, 250)])
    #expect(inner[1].subscriptions == [Subscription(250, 370)])
  }
}
