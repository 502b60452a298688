import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("ignoreElements")
struct IgnoreElementsTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("only the stop event is forwarded", arguments: [false, true])
  func ends(fails: Bool) {
    let source = scheduler.hot(
      .next(210, 1), .next(220, 2), fails ? .error(230, TestError.one) : .completed(230))
    let observer: TestableObserver<Never> = scheduler.start { source.ignoreElements() }
    #expect(observer.events.map(\.time) == [230])
    #expect(observer.events.map(\.value.isCompleted) == [!fails])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test("without an end nothing is sent, and disposal disposes the source", arguments: [215, 1000])
  func silence(disposed: TestTime) {
    let source = scheduler.hot(.next(210, 1), .next(220, 2))
    let observer: TestableObserver<Never> = scheduler.start(disposed: disposed) { source.ignoreElements() }
    #expect(observer.events.isEmpty)
    #expect(source.subscriptions == [Subscription(200, disposed)])
  }

  @Test("the result can be a completable")
  func completable() {
    var ends: [CompletableEvent] = []
    for source in [Observable.of(1, 2), .error(TestError.one)] {
      _ = source.ignoreElements().asCompletable().subscribe { ends.append($0) }
    }
    #expect(ends == [.completed, .error(TestError.one)])
  }
}
