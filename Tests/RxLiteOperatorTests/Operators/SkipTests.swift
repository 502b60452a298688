import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("skip")
struct SkipTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func source() -> TestableObservable<Int> {
    scheduler.hot(.next(150, 0), .next(210, 1), .next(220, 2), .next(230, 3), .next(240, 1), .completed(250))
  }

  @Test("the first elements are dropped", arguments: [-1, 0, 2, 4, 5])
  func skips(count: Int) {
    let source = source()
    let elements: [Recorded<Event<Int>>] = [.next(210, 1), .next(220, 2), .next(230, 3), .next(240, 1)]
    #expect(
      scheduler.start { source.skip(count) }.events
        == Array(elements.dropFirst(max(0, count))) + [.completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("an error is not dropped")
  func error() {
    let source = scheduler.hot(.next(210, 1), .error(220, TestError.one))
    #expect(scheduler.start { source.skip(3) }.events == [.error(220, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("each subscription starts at 0")
  func countsAnew() {
    let rest = Observable.of(1, 2, 3).skip(2)
    let recorder = RecordingObserver<Int>()
    _ = rest.concat(rest).subscribe(recorder)
    #expect(recorder.events == [.next(3), .next(3), .completed])
  }
}
