import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("elements of events")
struct ElementsTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("the sequence of events may fail itself, and continue after a stop event among its elements")
  func own() {
    let recorder = RecordingObserver<Int>()
    let events = Observable<Event<Int>>.of(.next(1), .error(TestError.one), .completed, .next(2))
    _ = events.concat(Observable.error(TestError.two)).elements().subscribe(recorder)
    #expect(recorder.events == [.next(1), .next(2), .error(TestError.two)])
  }

  @Test("disposal disposes the source")
  func disposed() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2))
    let observer = scheduler.start(disposed: 215) { source.materialize().elements() }
    #expect(observer.events == [.next(210, 1)])
    #expect(source.subscriptions == [Subscription(200, 215)])
  }

  @Test("a nil element is forwarded")
  func optionals() {
    let recorder = RecordingObserver<Int?>()
    _ = Observable<Int?>.of(1, nil).materialize().elements().subscribe(recorder)
    #expect(recorder.events == [.next(1), .next(nil), .completed])
  }
}
