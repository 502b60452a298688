import RxLite
import RxLiteTesting
import Testing

@Suite("retry")
struct RetryTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("a source that ends is not tried again")
  func noError() {
    let source = scheduler.cold(.next(10, 1), .completed(20))
    #expect(scheduler.start { source.retry() }.events == [.next(210, 1), .completed(220)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("a source that fails is tried again until disposal")
  func forEver() {
    let source = scheduler.cold(.next(10, 1), .error(20, TestError.one))
    let observer = scheduler.start(disposed: 255) { source.retry() }
    #expect(observer.events == [.next(210, 1), .next(230, 1), .next(250, 1)])
    #expect(source.subscriptions == [Subscription(200, 220), Subscription(220, 240), Subscription(240, 255)])
  }

  @Test("the last attempt's error is the error", arguments: 1...3)
  func attempts(count: Int) {
    let source = scheduler.cold(.next(10, 1), .error(20, TestError.one))
    let observer = scheduler.start { source.retry(count) }
    var events: [Recorded<Event<Int>>] = []
    for attempt in 0..<count { events.append(.next(210 + 20 * attempt, 1)) }
    #expect(observer.events == events + [.error(200 + 20 * count, TestError.one)])
    #expect(
      source.subscriptions == (0..<count).map { Subscription(200 + 20 * $0, 220 + 20 * $0) })
  }

  @Test("no attempt at all ends at once")
  func noAttempt() {
    let source = scheduler.cold(.next(10, 1))
    #expect(scheduler.start { source.retry(0) }.events == [.completed(200)])
    #expect(source.subscriptions == [])
  }

  @Test("an attempt that succeeds ends the retrying")
  func succeeds() {
    var attempts = 0
    let probe = Probe<Int>()
    let source = Observable<Int>.deferred {
      attempts += 1
      return attempts < 3 ? .error(TestError.one) : .just(attempts)
    }
    _ = source.retry(5).subscribe(probe)
    #expect(probe.events == [.next(3), .completed])
  }
}

@Suite("retry(when:)")
struct RetryWhenTests {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test("the source is tried again when the notifier sends, and left alone until then")
  func waits() {
    let source = scheduler.cold(.next(10, 1), .error(20, TestError.one))
    let notifier = scheduler.hot(.next(250, 0), .next(350, 0), .completed(400))
    let observer = scheduler.start {
      source.retry { (errors: Observable<any Error>) in errors.flatMapLatest { _ in notifier.take(1) } }
    }
    #expect(observer.events == [.next(210, 1), .next(260, 1), .next(360, 1)])
    #expect(source.subscriptions == [Subscription(200, 220), Subscription(250, 270), Subscription(350, 370)])
  }

  @Test("it ends when the notifier ends")
  func notifierEnds() {
    let source = scheduler.cold(.next(10, 1), .error(20, TestError.one))
    let observer = scheduler.start {
      source.retry { (errors: Observable<any Error>) in errors.take(1) }
    }
    #expect(observer.events.first == .next(210, 1))
    #expect(observer.events.last == .completed(220))
    #expect(source.subscriptions.first == Subscription(200, 220))
    #expect(source.subscriptions.allSatisfy { $0.unsubscribe == 220 })
  }

  @Test("it fails when the notifier fails")
  func notifierFails() {
    let source = scheduler.cold(.next(10, 1), .error(20, TestError.one))
    let observer = scheduler.start {
      source.retry { (errors: Observable<any Error>) in
        errors.flatMap { _ in Observable<Int>.error(TestError.two) }
      }
    }
    #expect(observer.events == [.next(210, 1), .error(220, TestError.two)])
    #expect(source.subscriptions == [Subscription(200, 220)])
  }

  @Test("the notifier gets each error")
  func errors() {
    let log = Log()
    var attempts = 0
    let source = Observable<Int>.deferred {
      attempts += 1
      return attempts < 4 ? .error(attempts == 2 ? TestError.two : TestError.one) : .just(attempts)
    }
    let probe = Probe<Int>()
    _ = source.retry { (errors: Observable<TestError>) in errors.do(onNext: { log.add("\($0)") }) }
      .subscribe(probe)
    #expect(log.lines == ["one", "two", "one"])
    #expect(probe.events == [.next(4), .completed])
  }

  @Test("an error of another type than the notifier takes is the error")
  func otherType() {
    struct Other: Error {}
    let source = scheduler.cold(.error(20, TestError.one))
    let observer = scheduler.start { source.retry { (errors: Observable<Other>) in errors } }
    #expect(observer.events == [.error(220, TestError.one)])
  }

  @Test("disposal while waiting ends the notifier")
  func disposed() {
    let source = scheduler.cold(.error(20, TestError.one))
    let notifier = scheduler.hot(.next(500, 0))
    let observer = scheduler.start(disposed: 300) {
      source.retry { (errors: Observable<any Error>) in errors.flatMap { _ in notifier } }
    }
    #expect(observer.events == [])
    #expect(source.subscriptions == [Subscription(200, 220)])
    #expect(notifier.subscriptions == [Subscription(220, 300)])
  }
}
