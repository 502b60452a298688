import Dispatch
import RxLite
@testable import RxLiteTestSupport
import RxLiteTesting
import Testing

@Suite("timeout", .timeLimit(.minutes(5)))
struct TimeoutTests {
  private let scheduler = TestScheduler(initialClock: 0)

  private func busySource() -> TestableObservable<Int> {
    scheduler.hot(
      .next(70, 1), .next(130, 2), .next(240, 3), .next(310, 4), .next(430, 5), .completed(500))
  }

  @Test("events in time are forwarded")
  func inTime() {
    let source = scheduler.hot(
      .next(150, 1), .next(210, 2), .next(230, 3), .next(260, 4), .next(300, 5), .completed(400))
    let observer = scheduler.start { source.timeout(.seconds(100), scheduler: scheduler) }
    #expect(
      observer.events == [.next(210, 2), .next(230, 3), .next(260, 4), .next(300, 5), .completed(400)])
    #expect(source.subscriptions == [Subscription(200, 400)])
  }

  @Test("no first event in time is an error")
  func first() {
    let source = scheduler.hot(.next(150, 1), .next(310, 2))
    let observer = scheduler.start { source.timeout(.seconds(100), scheduler: scheduler) }
    #expect(observer.events == [.error(300, RxError.timeout)])
    #expect(source.subscriptions == [Subscription(200, 300)])
  }

  @Test("too long after an element is an error")
  func between() {
    let source = busySource()
    let observer = scheduler.start { source.timeout(.seconds(100), scheduler: scheduler) }
    #expect(observer.events == [.next(240, 3), .next(310, 4), .error(410, RxError.timeout)])
    #expect(source.subscriptions == [Subscription(200, 410)])
  }

  @Test("an error of the source is forwarded")
  func error() {
    let source = scheduler.hot(.next(210, 1), .error(250, TestError.one))
    let observer = scheduler.start { source.timeout(.seconds(100), scheduler: scheduler) }
    #expect(observer.events == [.next(210, 1), .error(250, TestError.one)])
    #expect(source.subscriptions == [Subscription(200, 250)])
  }

  @Test("the other sequence continues without a limit")
  func other() {
    let source = busySource()
    let other = scheduler.cold(.next(50, -1), .next(200, -2), .next(310, -3), .completed(320))
    let observer = scheduler.start { source.timeout(.seconds(100), other: other, scheduler: scheduler) }
    #expect(
      observer.events == [
        .next(240, 3), .next(310, 4), .next(460, -1), .next(610, -2), .next(720, -3), .completed(730),
      ])
    #expect(source.subscriptions == [Subscription(200, 410)])
    #expect(other.subscriptions == [Subscription(410, 730)])
  }

  @Test("the other sequence may fail, or stay silent")
  func otherEnds() {
    let source = scheduler.hot(.next(310, 1))
    let failing = scheduler.cold(.error(20, TestError.two))
    let observer = scheduler.start { source.timeout(.seconds(100), other: failing, scheduler: scheduler) }
    #expect(observer.events == [.error(320, TestError.two)])
    #expect(failing.subscriptions == [Subscription(300, 320)])

    let silent = TestScheduler(initialClock: 0)
    let (never, silence) = (silent.hot(.next(150, 1)), silent.hot(.next(150, 1)))
    let nothing = silent.start { never.timeout(.seconds(100), other: silence, scheduler: silent) }
    #expect(nothing.events == [])
    #expect(never.subscriptions == [Subscription(200, 300)])
    #expect(silence.subscriptions == [Subscription(300, 1000)])
  }

  @Test("the other sequence is not subscribed to if the source ends in time")
  func otherUnused() {
    let source = scheduler.hot(.completed(250))
    let other = scheduler.cold(.next(100, -1))
    let observer = scheduler.start { source.timeout(.seconds(100), other: other, scheduler: scheduler) }
    #expect(observer.events == [.completed(250)])
    #expect(source.subscriptions == [Subscription(200, 250)])
    #expect(other.subscriptions == [])
    #expect(scheduler.clock == 1000)
  }

  @Test("an event at the deadline wins if it was scheduled before the timer")
  func tie() {
    let source = scheduler.hot(.next(300, 1), .completed(400))
    let observer = scheduler.start { source.timeout(.seconds(100), scheduler: scheduler) }
    #expect(observer.events == [.next(300, 1), .completed(400)])
  }

  @Test("an event at the deadline comes too late if the subscription to the source schedules it")
  func coldTie() {
    let source = scheduler.cold(.next(100, 1), .completed(200))
    let observer = scheduler.start { source.timeout(.seconds(100), scheduler: scheduler) }
    #expect(observer.events == [.error(300, RxError.timeout)])
    #expect(source.subscriptions == [Subscription(200, 300)])
  }

  @Test("a due time of zero is up in the next step")
  func zero() {
    let source = scheduler.hot(.next(201, 1), .next(203, 2))
    let observer = scheduler.start { source.timeout(.seconds(0), scheduler: scheduler) }
    #expect(observer.events == [.next(201, 1), .error(202, RxError.timeout)])
  }

  @Test("the other sequence is subscribed to before the source is disposed")
  func order() {
    var log: [String] = []
    let source = Observable<Int>.never().do(onDispose: { log.append("source disposed") })
    let other = Observable<Int>.never().do(onSubscribe: { log.append("other subscribed") })
    _ = scheduler.start { source.timeout(.seconds(100), other: other, scheduler: scheduler) }
    #expect(log == ["other subscribed", "source disposed"])
  }

  @Test("an endless other sequence can be disposed while it is being subscribed to")
  func endless() {
    let endless = Observable.from(sequence(first: 0) { $0 + 1 })
    let observer = scheduler.start {
      Observable<Int>.never().timeout(.seconds(30), other: endless, scheduler: scheduler).take(2)
    }
    #expect(observer.events == [.next(230, 0), .next(230, 1), .completed(230)])
  }

  @Test("disposal disposes the source and the timer, or the other sequence")
  func disposed() {
    let source = busySource()
    let other = scheduler.cold(.next(50, -1), .next(200, -2))
    let observer = scheduler.start(disposed: 500) {
      source.timeout(.seconds(100), other: other, scheduler: scheduler)
    }
    #expect(observer.events == [.next(240, 3), .next(310, 4), .next(460, -1)])
    #expect(source.subscriptions == [Subscription(200, 410)])
    #expect(other.subscriptions == [Subscription(410, 500)])

    let early = TestScheduler(initialClock: 0)
    let never = early.hot(.next(150, 1))
    #expect(early.start(disposed: 250) { never.timeout(.seconds(100), scheduler: early) }.events == [])
    #expect(never.subscriptions == [Subscription(200, 250)])
  }

  @Test("on real queues either the element or the error wins, and nothing follows the error")
  func threads() {
    let background = ConcurrentDispatchQueueScheduler(qos: .default)
    for round in 0..<200 {
      let (subject, recorder, semaphore) = (PublishSubject<Int>(), RecordingObserver<Int>(), TestSemaphore())
      _ = subject.timeout(.microseconds(round), scheduler: background).subscribe { event in
        recorder.on(event)
        if event.isStopEvent { semaphore.signal() }
      }
      for element in 0..<10 { subject.onNext(element) }
      #expect(semaphore.wait())
      #expect(recorder.overlaps == 0)
      #expect(recorder.elements == Array(0..<recorder.elements.count))
      #expect(recorder.events.last == .error(RxError.timeout))
    }
  }

  @Test("the other sequence is not subscribed to if the subscription is disposed in time")
  func otherUnusedAfterDisposal() {
    let source = scheduler.hot(.next(150, 1))
    let other = scheduler.cold(.next(10, -1))
    let observer = scheduler.start(disposed: 250) {
      source.timeout(.seconds(100), other: other, scheduler: scheduler)
    }
    #expect(observer.events == [])
    #expect(other.subscriptions == [])
  }

  @Test("elements of the source during the subscription to the other sequence are ignored")
  func sourceAfterTimeout() {
    let source = PublishSubject<Int>()
    let other = Observable<Int>.deferred {
      source.onNext(1)
      return .just(2)
    }
    let observer = scheduler.start { source.timeout(.seconds(100), other: other, scheduler: scheduler) }
    #expect(observer.events == [.next(300, 2), .completed(300)])
  }

  @Test("the time to the next event begins when an element has been delivered")
  func slowObserver() {
    let source = scheduler.hot(.next(210, 1))
    let observer = scheduler.createObserver(Int.self)
    scheduler.scheduleAt(200) {
      _ = source.timeout(.seconds(100), scheduler: scheduler).subscribe { event in
        observer.on(event)
        if event.element == 1 { scheduler.sleep(50) }
      }
    }
    scheduler.start()
    #expect(observer.events == [.next(210, 1), .error(360, RxError.timeout)])
  }

  @Test("on a dispatch queue, silence after many elements is an error")
  func silence() {
    let (subject, results) = (PublishSubject<Int>(), ReplaySubject<Int>.createUnbounded())
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    let subscription = subject.timeout(.milliseconds(50), scheduler: scheduler).subscribe(results)
    for element in 0..<1_000 { subject.onNext(element) }
    #expect(throws: RxError.self) { try results.toBlocking().last() }
    subscription.dispose()
  }
}
