import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("single and single(_:)")
struct SingleElementTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("the only element is forwarded at once")
  func one() {
    let source = scheduler.hot(.next(150, 9), .next(210, 1), .completed(250))
    #expect(scheduler.start { source.single() }.events == [.next(210, 1), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("a sequence without an element fails")
  func none() {
    let source = scheduler.hot(.next(150, 9), .completed(250))
    #expect(scheduler.start { source.single() }.events == [.error(250, RxError.noElements)])
  }

  @Test("a second element is an error at once")
  func many() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .completed(250))
    let observer = scheduler.start { source.single() }
    #expect(observer.events == [.next(210, 1), .error(220, RxError.moreThanOneElement)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("an error is forwarded")
  func error() {
    let source = scheduler.hot(.error(210, TestError.one))
    #expect(scheduler.start { source.single() }.events == [.error(210, TestError.one)])
  }

  @Test("a predicate selects the element")
  func predicate() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .next(240, 4), .completed(250))
    #expect(scheduler.start { source.single { $0 == 3 } }.events == [.next(230, 3), .completed(250)])
    let second = scheduler.cold(.next(10, 1), .next(20, 3), .completed(30))
    let recorder = scheduler.createObserver(Int.self)
    _ = second.single { $0 % 2 == 1 }.subscribe(recorder)
    scheduler.start()
    #expect(recorder.events.map(\.value) == [.next(1), .error(RxError.moreThanOneElement)])
  }

  @Test("a sequence without a match fails")
  func noMatch() {
    let source = scheduler.hot(.next(210, 1), .completed(250))
    #expect(scheduler.start { source.single { $0 == 3 } }.events == [.error(250, RxError.noElements)])
  }

  @Test("an error that the predicate throws ends it")
  func throwing() {
    let source = scheduler.hot(.next(210, 1), .completed(250))
    #expect(
      scheduler.start { source.single { _ in throw TestError.one } }.events == [.error(210, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 210)])
  }
}
