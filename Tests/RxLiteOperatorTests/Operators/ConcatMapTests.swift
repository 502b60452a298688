import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("concatMap")
struct ConcatMapTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("inner sequences wait for the previous ones")
  func waits() {
    let outer = scheduler.hot(.next(210, 0), .next(220, 1), .completed(300))
    let inner = [
      scheduler.cold(.next(10, 1), .next(50, 2), .completed(60)),
      scheduler.cold(.next(10, 3), .completed(50)),
    ]
    let observer = scheduler.start { outer.concatMap { inner[$0] } }
    #expect(observer.events == [.next(220, 1), .next(260, 2), .next(280, 3), .completed(320)])
    #expect(outer.subscriptions == [Subscription(200, 300)])
    #expect(inner[0].subscriptions == [Subscription(210, 270)])
    #expect(inner[1].subscriptions == [Subscription(270, 320)])
  }

  @Test("a sequence that arrives after a waiting one has begun waits, too")
  func waitsAgain() {
    let outer = scheduler.hot(.next(210, 0), .next(220, 1), .next(270, 2), .completed(300))
    let inner = scheduler.cold(.next(10, 1), .completed(50))
    let observer = scheduler.start { outer.concatMap { _ in inner } }
    #expect(observer.events == [.next(220, 1), .next(270, 1), .next(320, 1), .completed(360)])
    #expect(
      inner.subscriptions == [Subscription(210, 260), Subscription(260, 310), Subscription(310, 360)])
  }

  @Test("the selector is called when the element arrives, not when its sequence starts")
  func selectsAtOnce() {
    let outer = scheduler.hot(.next(210, 0), .next(220, 1), .completed(230))
    let inner = scheduler.cold(.completed(100))
    var times: [TestTime] = []
    let observer = scheduler.start {
      outer.concatMap { _ in
        times.append(self.scheduler.clock)
        return inner
      }
    }
    #expect(times == [210, 220])
    #expect(observer.events == [.completed(410)])
    #expect(inner.subscriptions == [Subscription(210, 310), Subscription(310, 410)])
  }

  @Test("an inner error ends all, and waiting sequences are not subscribed to")
  func innerError() {
    let outer = scheduler.hot(.next(210, 0), .next(220, 1), .completed(600))
    let inner = [scheduler.cold(.next(10, 1), .error(30, TestError.one)), scheduler.cold(.next(10, 2))]
    let observer = scheduler.start { outer.concatMap { inner[$0] } }
    #expect(observer.events == [.next(220, 1), .error(240, TestError.one)])
    #expect(outer.subscriptions == [Subscription(200, 240)])
    #expect(inner.map(\.subscriptions) == [[Subscription(210, 240)], []])
  }

  @Test("an outer error ends all at once, although inner sequences wait")
  func outerError() {
    let outer = scheduler.hot(.next(210, 0), .next(220, 1), .error(230, TestError.one))
    let inner = [scheduler.cold(.next(10, 1), .completed(50)), scheduler.cold(.next(10, 2))]
    let observer = scheduler.start { outer.concatMap { inner[$0] } }
    #expect(observer.events == [.next(220, 1), .error(230, TestError.one)])
    #expect(inner.map(\.subscriptions) == [[Subscription(210, 230)], []])
  }

  @Test("disposal disposes the running inner sequence, and waiting ones are not subscribed to")
  func disposed() {
    let outer = scheduler.hot(.next(210, 0), .next(220, 1))
    let inner = [scheduler.cold(.next(10, 1), .completed(50)), scheduler.cold(.next(10, 2))]
    #expect(scheduler.start(disposed: 240) { outer.concatMap { inner[$0] } }.events == [.next(220, 1)])
    #expect(inner.map(\.subscriptions) == [[Subscription(210, 240)], []])
  }
}
