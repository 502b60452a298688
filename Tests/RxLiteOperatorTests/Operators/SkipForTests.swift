import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("skip(_:scheduler:)", .timeLimit(.minutes(5)))
struct SkipForTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func skipped(
    _ source: some ObservableType<Int>, _ seconds: Int, disposed: Int = 1000
  ) -> [Recorded<Event<Int>>] {
    scheduler.start(disposed: disposed) { source.skip(.seconds(seconds), scheduler: scheduler) }.events
  }

  @Test("elements of the initial span are dropped")
  func some() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .completed(230))
    #expect(skipped(source, 15) == [.next(220, 2), .completed(230)])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test("a span of zero drops only the elements before the next step")
  func zero() {
    let source = scheduler.hot(.next(201, 0), .next(210, 1), .next(220, 2), .completed(230))
    #expect(skipped(source, 0) == [.next(210, 1), .next(220, 2), .completed(230)])
  }

  @Test("completion is forwarded at any time")
  func late() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .completed(230))
    #expect(skipped(source, 50) == [.completed(230)])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test("an error is forwarded at any time")
  func error() {
    let source = scheduler.hot(.next(205, 0), .error(210, TestError.one))
    #expect(skipped(source, 50) == [.error(210, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 210)])
  }

  @Test("a silent source stays silent")
  func never() {
    let source = scheduler.hot(.next(150, 1))
    #expect(skipped(source, 50) == [])
    #expect(source.subscriptions == [Subscription(200, 1000)])
  }

  @Test("disposal disposes source and timer")
  func disposed() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3))
    #expect(skipped(source, 15, disposed: 225) == [.next(220, 2)])
    #expect(source.subscriptions == [Subscription(200, 225)])
  }

  @Test("disposal before the time is up leaves no timer behind")
  func disposedEarly() {
    let subscription = Observable<Int>.never().skip(.seconds(15), scheduler: scheduler).subscribe()
    #expect(!scheduler.debugDescription.hasSuffix("pending: [])"))
    subscription.dispose()
    #expect(scheduler.debugDescription.hasSuffix("pending: [])"))
  }

  @Test("on a real queue elements are forwarded once the time is up")
  func onQueue() {
    let (subject, recorder, semaphore) = (PublishSubject<Int>(), RecordingObserver<Int>(), TestSemaphore())
    let background = SerialDispatchQueueScheduler(qos: .default)
    _ = subject.skip(.milliseconds(1), scheduler: background).take(1).subscribe { event in
      recorder.on(event)
      if event.isStopEvent { semaphore.signal() }
    }
    let sender = Observable<Int>.interval(.milliseconds(1), scheduler: background).subscribe(subject)
    #expect(semaphore.wait())
    #expect(recorder.events.count == 2 && recorder.events.last == .completed)
    sender.dispose()
  }
}
