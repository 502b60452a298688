import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("count")
struct CountTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("the number is sent on completion")
  func number() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .completed(240))
    let observer = scheduler.start { source.count() }
    #expect(observer.events == [.next(240, 3), .completed(240)])
    #expect(source.subscriptions == [Subscription(200, 240)])
  }

  @Test("a predicate excludes elements; the number of no elements is 0")
  func predicate() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .completed(240))
    let observer = scheduler.start { source.count { $0 > 1 } }
    let empty = RecordingObserver<Int>()
    _ = Observable<Int>.empty().count().subscribe(empty)
    #expect(observer.events == [.next(240, 2), .completed(240)])
    #expect(empty.events == [.next(0), .completed])
  }

  @Test("an error ends it without a number, and so does disposal", arguments: [1_000, 215])
  func ends(disposed: Int) {
    let source = scheduler.hot(.next(210, 1), .error(220, TestError.one))
    let observer = scheduler.start(disposed: disposed) { source.count() }
    #expect(observer.events == (disposed == 215 ? [] : [.error(220, TestError.one)]))
    #expect(source.subscriptions == [Subscription(200, min(disposed, 220))])
  }

  @Test("an error that the predicate throws ends it")
  func throwing() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .completed(240))
    let observer = scheduler.start { source.count { _ in throw TestError.two } }
    #expect(observer.events == [.error(210, TestError.two)])
    #expect(source.subscriptions == [Subscription(200, 210)])
  }

  @Test("infallibles are counted in the same way")
  func infallible() {
    let (all, some) = (RecordingObserver<Int>(), RecordingObserver<Int>())
    _ = Infallible.of(1, 2, 3).count().asObservable().subscribe(all)
    _ = Infallible.of(1, 2, 3).count { $0 == 2 }.asObservable().subscribe(some)
    #expect(all.events == [.next(3), .completed])
    #expect(some.events == [.next(1), .completed])
  }
}
