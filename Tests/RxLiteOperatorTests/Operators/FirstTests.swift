import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("first")
struct FirstTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("the first element arrives at once, and the source is disposed")
  func first() {
    let source = scheduler.hot(.next(150, 0), .next(210, 1), .next(220, 2), .completed(230))
    let observer = scheduler.start { source.first() }
    #expect(observer.events == [.next(210, 1), .completed(210)])
    #expect(source.subscriptions == [Subscription(200, 210)])
  }

  @Test("nil is sent if there is no element, and an error is forwarded")
  func none() {
    let empty = scheduler.hot(.completed(230))
    #expect(scheduler.start { empty.first() }.events == [.next(230, nil), .completed(230)])
    #expect(empty.subscriptions == [Subscription(200, 230)])
    let other = TestScheduler(initialClock: 0)
    let failing = other.hot(.error(230, TestError.one))
    #expect(other.start { failing.first() }.events == [.error(230, TestError.one)])
    #expect(failing.subscriptions == [Subscription(200, 230)])
  }

  @Test("a silent source stays silent until disposal")
  func never() {
    let source = scheduler.hot(.next(150, 0))
    #expect(scheduler.start(disposed: 300) { source.first() }.events == [])
    #expect(source.subscriptions == [Subscription(200, 300)])
  }

  @Test("one element is sent if its delivery makes the source send another")
  func reentrant() {
    let subject = PublishSubject<Int>()
    let recorder = RecordingObserver<Int?>()
    _ = subject.first().asObservable().subscribe { event in
      recorder.on(event)
      subject.onNext(2)
    }
    subject.onNext(1)
    #expect(recorder.events == [.next(1), .completed])
  }
}
