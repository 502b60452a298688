import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("take")
struct TakeTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("it completes with the last element and disposes the source")
  func some() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .completed(240))
    #expect(scheduler.start { source.take(2) }.events == [.next(210, 1), .next(220, 2), .completed(220)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("a source that completes earlier completes it", arguments: [3, 4, .max])
  func more(count: Int) {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .completed(240))
    #expect(scheduler.start { source.take(count) }.events == [.next(210, 1), .next(220, 2), .completed(240)])
    #expect(source.subscriptions == [Subscription(200, 240)])
  }

  @Test("a count of 0 completes at once without subscribing")
  func none() {
    let source = scheduler.hot(.next(210, 1))
    #expect(scheduler.start { source.take(0) }.events == [.completed(200)])
    #expect(source.subscriptions == [])
  }

  @Test("an error after the last element is ignored, one before it is forwarded")
  func error() {
    let source = scheduler.hot(.next(210, 1), .error(220, TestError.one))
    #expect(scheduler.start { source.take(1) }.events == [.next(210, 1), .completed(210)])
    let cold = scheduler.cold(.next(10, 1), .error(20, TestError.one))
    let observer = scheduler.start(created: 1100, subscribed: 1200, disposed: 2000) { cold.take(2) }
    #expect(observer.events == [.next(1210, 1), .error(1220, TestError.one)])
  }

  @Test("elements sent from inside an element are counted")
  func reentrant() {
    let subject = PublishSubject<Int>()
    let recorder = RecordingObserver<Int>()
    _ = subject.take(2).subscribe { event in
      recorder.on(event)
      if let element = event.element { subject.onNext(element + 1) }
    }
    subject.onNext(1)
    #expect(recorder.events == [.next(1), .next(2), .completed])
    #expect(!subject.hasObservers)
  }

  @Test("each subscription starts at 0")
  func countsAnew() {
    let twice = Observable.of(1, 2, 3).take(2)
    let recorder = RecordingObserver<Int>()
    _ = twice.concat(twice).subscribe(recorder)
    #expect(recorder.events == [.next(1), .next(2), .next(1), .next(2), .completed])
  }

  @Test("it stops an endless source")
  func endless() {
    let recorder = RecordingObserver<Int>()
    _ = Observable.from(sequence(first: 0) { $0 + 1 }).take(3).subscribe(recorder)
    #expect(recorder.events == [.next(0), .next(1), .next(2), .completed])
  }

  @Test("a negative number stops the process", .timeLimit(.minutes(5)))
  func negative() async {
    await #expect(processExitsWith: .failure) { _ = Observable.of(1, 2).take(-1) }
  }
}
