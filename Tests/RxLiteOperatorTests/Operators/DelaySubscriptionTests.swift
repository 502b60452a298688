import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("delaySubscription", .timeLimit(.minutes(5)))
struct DelaySubscriptionTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func delayed(
    _ source: some ObservableType<Int>, _ seconds: Int, disposed: Int = 1000
  ) -> [Recorded<Event<Int>>] {
    scheduler.start(disposed: disposed) {
      source.delaySubscription(.seconds(seconds), scheduler: scheduler)
    }.events
  }

  @Test("the source is subscribed to later, and its events are not delayed")
  func later() {
    let source = scheduler.cold(.next(50, 1), .next(60, 2), .completed(70))
    #expect(delayed(source, 30) == [.next(280, 1), .next(290, 2), .completed(300)])
    #expect(source.subscriptions == [Subscription(230, 300)])
  }

  @Test("elements of a hot source before the subscription are missed")
  func hot() {
    let source = scheduler.hot(.next(210, 1), .next(230, 2), .next(240, 3), .completed(250))
    #expect(delayed(source, 30) == [.next(240, 3), .completed(250)])
    #expect(source.subscriptions == [Subscription(230, 250)])
  }

  @Test("an error is forwarded")
  func error() {
    let source = scheduler.cold(.next(50, 1), .error(70, TestError.one))
    #expect(delayed(source, 30) == [.next(280, 1), .error(300, TestError.one)])
    #expect(source.subscriptions == [Subscription(230, 300)])
  }

  @Test("with a due time of zero the source is subscribed to in the next step")
  func zero() {
    let source = scheduler.cold(.completed(10))
    #expect(delayed(source, 0) == [.completed(211)])
    #expect(source.subscriptions == [Subscription(201, 211)])
  }

  @Test("disposal disposes the source, or prevents its subscription")
  func disposed() {
    let source = scheduler.cold(.next(50, 1), .next(60, 2), .completed(70))
    #expect(delayed(source, 30, disposed: 285) == [.next(280, 1)])
    #expect(source.subscriptions == [Subscription(230, 285)])

    let other = TestScheduler(initialClock: 0)
    let never = other.cold(.next(50, 1))
    let observer = other.start(disposed: 220) { never.delaySubscription(.seconds(30), scheduler: other) }
    #expect(observer.events == [])
    #expect(never.subscriptions == [])
  }

  @Test("an endless source can be disposed while it is being subscribed")
  func endless() {
    let endless = Observable.from(sequence(first: 0) { $0 + 1 })
    let observer = scheduler.start { endless.delaySubscription(.seconds(30), scheduler: scheduler).take(2) }
    #expect(observer.events == [.next(230, 0), .next(230, 1), .completed(230)])
  }

  @Test("the source is subscribed to on the scheduler")
  func onQueue() {
    let marked = MarkedQueue("delaySubscription")
    let background = SerialDispatchQueueScheduler(queue: marked.queue, internalSerialQueueName: "subscribe")
    let (log, semaphore) = (Log(), TestSemaphore())
    _ = Observable<Int>.create { observer in
      log.add("\(marked.isCurrent)")
      observer.onCompleted()
      return Disposables.create()
    }
    .delaySubscription(.milliseconds(1), scheduler: background)
    .subscribe(onCompleted: semaphore.signal)
    #expect(semaphore.wait())
    #expect(log.lines == ["true"])
  }
}
