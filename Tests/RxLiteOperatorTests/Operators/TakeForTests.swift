import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("take(for:)", .timeLimit(.minutes(5)))
struct TakeForTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func taken(
    _ source: some ObservableType<Int>, _ seconds: Int, disposed: Int = 1000
  ) -> [Recorded<Event<Int>>] {
    scheduler.start(disposed: disposed) { source.take(for: .seconds(seconds), scheduler: scheduler) }.events
  }

  @Test("it completes when the time is up")
  func some() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(230, 3), .completed(240))
    #expect(taken(source, 25) == [.next(210, 1), .next(220, 2), .completed(225)])
    #expect(source.subscriptions == [Subscription(200, 225)])
  }

  @Test("an event at the end of the time is not forwarded if the subscription to the source schedules it")
  func coldTie() {
    let source = scheduler.cold(.next(20, 1), .next(50, 2))
    #expect(taken(source, 50) == [.next(220, 1), .completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("a source that ends before is unchanged")
  func late() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .completed(230))
    #expect(taken(source, 50) == [.next(210, 1), .next(220, 2), .completed(230)])
    #expect(source.subscriptions == [Subscription(200, 230)])
  }

  @Test("an error in time is forwarded")
  func error() {
    let source = scheduler.hot(.error(210, TestError.one))
    #expect(taken(source, 50) == [.error(210, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 210)])
  }

  @Test("a time of zero means the next step")
  func zero() {
    let source = scheduler.hot(.next(210, 1), .completed(230))
    #expect(taken(source, 0) == [.completed(201)])
    #expect(source.subscriptions == [Subscription(200, 201)])
  }

  @Test("a silent source completes too")
  func never() {
    let source = scheduler.hot(.next(150, 1))
    #expect(taken(source, 50) == [.completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("the shorter of two times wins")
  func twice() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2), .next(240, 4), .completed(300))
    let observer = scheduler.start {
      source.take(for: .seconds(55), scheduler: scheduler).take(for: .seconds(35), scheduler: scheduler)
    }
    #expect(observer.events == [.next(210, 1), .next(220, 2), .completed(235)])
    #expect(source.subscriptions == [Subscription(200, 235)])
  }

  @Test("disposal disposes source and timer")
  func disposed() {
    let source = scheduler.hot(.next(210, 1), .next(220, 2))
    #expect(taken(source, 50, disposed: 215) == [.next(210, 1)])
    #expect(source.subscriptions == [Subscription(200, 215)])
  }

  @Test("on real queues completion comes once and nothing follows it")
  func threads() {
    let background = ConcurrentDispatchQueueScheduler(qos: .default)
    for round in 0..<100 {
      let (subject, recorder, semaphore) = (PublishSubject<Int>(), RecordingObserver<Int>(), TestSemaphore())
      _ = subject.take(for: .microseconds(round), scheduler: background).subscribe { event in
        recorder.on(event)
        if event.isStopEvent { semaphore.signal() }
      }
      for element in 0..<100 { subject.onNext(element) }
      #expect(semaphore.wait())
      #expect(recorder.overlaps == 0)
      #expect(recorder.elements == Array(0..<recorder.elements.count))
      #expect(recorder.events.filter(\.isStopEvent).count == 1 && recorder.events.last == .completed)
    }
  }
}
