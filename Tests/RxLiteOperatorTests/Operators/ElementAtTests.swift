import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("element(at:)")
struct ElementAtTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func source(_ stop: Recorded<Event<Int>> = .completed(250)) -> TestableObservable<Int> {
    scheduler.hot(.next(150, 9), .next(210, 1), .next(220, 2), .next(230, 3), stop)
  }

  @Test("the element completes it", arguments: 0..<3)
  func found(index: Int) {
    let (source, time) = (source(), 210 + index * 10)
    #expect(
      scheduler.start { source.element(at: index) }.events == [.next(time, index + 1), .completed(time)])
    #expect(source.subscriptions == [Subscription(200, time)])
  }

  @Test("a source that completes before is an error")
  func missing() {
    let source = source()
    #expect(scheduler.start { source.element(at: 3) }.events == [.error(250, RxError.argumentOutOfRange)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("an error before it is an error")
  func error() {
    let source = source(.error(250, TestError.one))
    #expect(scheduler.start { source.elementAt(3) }.events == [.error(250, TestError.one)])
  }

  @Test("disposal before the element ends the subscription")
  func disposed() {
    let source = source()
    #expect(scheduler.start(disposed: 215) { source.element(at: 1) }.events == [])
    #expect(source.subscriptions == [Subscription(200, 215)])
  }

  @Test("an element that is sent from inside the delivery is dropped")
  func reentrant() {
    let (subject, recorder) = (PublishSubject<Int>(), RecordingObserver<Int>())
    _ = subject.element(at: 0).subscribe { event in
      recorder.on(event)
      subject.onNext(2)
    }
    subject.onNext(1)
    #expect(recorder.events == [.next(1), .completed])
    #expect(!subject.hasObservers)
  }

  @Test("a negative index stops the process", .timeLimit(.minutes(5)))
  func negative() async {
    await #expect(processExitsWith: .failure) { _ = Observable.of(1, 2).element(at: -1) }
  }
}
