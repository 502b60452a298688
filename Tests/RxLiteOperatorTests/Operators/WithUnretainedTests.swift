import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("withUnretained")
struct WithUnretainedTests {
  private let scheduler = TestScheduler(initialClock: 0)
  private let liveCount = TrackedObject.LiveCount()

  @Test("elements are paired with the object while it is alive, then the sequence completes")
  func pairs() {
    var object: TrackedObject? = TrackedObject(7, in: liveCount)
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .next(240, 4), .completed(250))
    scheduler.scheduleAt(225) { object = nil }
    let observer = scheduler.start {
      object.map { source.withUnretained($0).map { "\($0.value)\($1)" } } ?? .never()
    }
    #expect(observer.events == [.next(210, "71"), .next(220, "72"), .completed(230)])
    #expect(source.subscriptions == [Subscription(200, 230)])
    #expect(liveCount.value == 0)
  }

  @Test("the result can be selected, and an error is forwarded")
  func selects() {
    let object = TrackedObject(7, in: liveCount)
    let source = scheduler.hot(.next(210, 1), .error(250, TestError.one))
    let observer = scheduler.start { source.withUnretained(object) { $0.value + $1 } }
    #expect(observer.events == [.next(210, 8), .error(250, TestError.one)])
  }
}
