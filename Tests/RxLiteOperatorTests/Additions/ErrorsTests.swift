import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("errors of events")
struct ErrorsTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("a materialized sequence that fails has elements and errors, and both sequences complete")
  func failing() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .error(230, TestError.one))
    let (elements, errors) = (scheduler.createObserver(Int.self), scheduler.createObserver(TestError.self))
    scheduler.scheduleAt(200) {
      let events = source.materialize().share()
      _ = events.elements().subscribe(elements)
      _ = events.errors().compactMap { $0 as? TestError }.subscribe(errors)
    }
    scheduler.start()
    #expect(elements.events == [.next(210, 1), .next(220, 2), .completed(230)])
    #expect(errors.events == [.next(230, .one), .completed(230)])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test("a sequence that completes has no errors")
  func completing() {
    let source = scheduler.hot(.next(210, 1), .completed(230))
    let observer = scheduler.start { source.materialize().errors().map { "\($0)" } }
    #expect(observer.events == [.completed(230)])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }
}
