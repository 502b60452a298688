import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("retry")
struct RetryTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("a source that completes is not subscribed to again")
  func noError() {
    let source = scheduler.cold(.next(10, 1), .completed(20))
    #expect(scheduler.start { source.retry() }.events == [.next(210, 1), .completed(220)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("a source that fails is subscribed to again until disposal")
  func forEver() {
    let source = scheduler.cold(.next(10, 1), .error(20, TestError.one))
    let observer = scheduler.start(disposed: 255) { source.retry() }
    #expect(observer.events == [.next(210, 1), .next(230, 1), .next(250, 1)])
    #expect(source.subscriptions == [Subscription(200, 220), Subscription(220, 240), Subscription(240, 255)])
  }

  @Test("the sequence fails with the error of the last attempt", arguments: 1...3)
  func attempts(count: Int) {
    let source = scheduler.cold(.next(10, 1), .error(20, TestError.one))
    let observer = scheduler.start { source.retry(count) }
    var events: [Recorded<Event<Int>>] = []
    for attempt in 0..<count { events.append(.next(210 + 20 * attempt, 1)) }
    #expect(observer.events == events + [.error(200 + 20 * count, TestError.one)])
    #expect(
      source.subscriptions == (0..<count).map { Subscription(200 + 20 * $0, 220 + 20 * $0) })
  }

  @Test("without an attempt it completes at once", arguments: [0, -1])
  func noAttempt(count: Int) {
    let source = scheduler.cold(.next(10, 1))
    #expect(scheduler.start { source.retry(count) }.events == [.completed(200)])
    #expect(source.subscriptions == [])
  }

  @Test("a successful attempt ends the retries")
  func succeeds() {
    var attempts = 0
    let recorder = RecordingObserver<Int>()
    let source = Observable<Int>.deferred {
      attempts += 1
      return attempts < 3 ? .error(TestError.one) : .just(attempts)
    }
    _ = source.retry(5).subscribe(recorder)
    #expect(recorder.events == [.next(3), .completed])
  }
}
